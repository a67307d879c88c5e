MATCH (e:Episode)
WHERE e.id >= $low AND e.id <= $high AND e.id STARTS WITH $prefix
MATCH (e)-[r:CONFIRMS]->(s)
//: include found_confirms r
