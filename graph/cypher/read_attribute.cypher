// Edges whose subject lies in [$low, $high].
MATCH (s:Entity)
WHERE s.id >= $low AND s.id <= $high
MATCH (s)-[r:ATTRIBUTE]->(o)
//: include found_edge r
