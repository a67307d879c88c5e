MATCH (e:Episode)
WHERE e.id >= $low AND e.id <= $high
MATCH (e)-[r:CONFIRMS]->(s)
//: include found_confirms r
