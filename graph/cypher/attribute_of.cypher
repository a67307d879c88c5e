// Edges of these subjects.
UNWIND $ids AS id
MATCH (s:Entity {id: id})-[r:ATTRIBUTE]->(o)
//: include found_edge r
