// All that is believed about an entity, and every belief that names it.
CALL () {
  MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
  WHERE
//: include rule r
  RETURN s, r, o
UNION
  MATCH (s:Entity)-[r:BELIEF]->(o:Entity {id: $entity})
  WHERE
//: include rule r
  RETURN s, r, o
}
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
