// Edges whose subject lies in [$low, $high], each as its columns: the ends, then the edge's
// properties in their order, then how many properties it has in all. `properties` walks an
// edge's property chain once, where every r.x would walk it again.
MATCH (s:Entity)
WHERE s.id >= $low AND s.id <= $high AND s.id STARTS WITH $prefix
MATCH (s)-[r:BELIEF]->(o)
WITH s, o, properties(r) AS p
RETURN collect([s.id, o.id,
//: include edge_columns p
, size(keys(p))]) AS found
