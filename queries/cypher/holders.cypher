// Who has a value: the value is a node of its own, a literal or an entity.
CALL () {
  MATCH (s:Entity)-[r:ATTRIBUTE]->(o:Value {id: $value})
  WHERE r.predicate = $predicate AND
//: include rule r
  RETURN s, r, o
UNION ALL
  MATCH (s:Entity)-[r:BELIEF]->(o:Entity {id: $entity})
  WHERE r.predicate = $predicate AND
//: include rule r
  RETURN s, r, o
}
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
