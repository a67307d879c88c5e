// Edges of these subjects.
UNWIND $ids AS id
MATCH (s:Entity {id: id})-[r:BELIEF]->(o)
//: include found_edge r
