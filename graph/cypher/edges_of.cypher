// Edges of these subjects, and confirmations about them: one list of rows for each type.
CALL () {
  UNWIND $ids AS id
  MATCH (s:Entity {id: id})-[r:BELIEF]->(o)
  //: include found_edge r
}
WITH found AS beliefs
CALL () {
  UNWIND $ids AS id
  MATCH (s:Entity {id: id})-[r:ATTRIBUTE]->(o)
  //: include found_edge r
}
WITH beliefs, found AS attributes
CALL () {
  UNWIND $ids AS id
  MATCH (s:Entity {id: id})<-[r:CONFIRMS]-(e)
  //: include found_confirms r
}
RETURN [beliefs, attributes, found] AS found
