// What is believed of one key, found by the key's own index and not from its entity.
CALL () {
  MATCH (s:Entity)-[r:ATTRIBUTE {key: $key}]->(o:Value)
  USING INDEX r:ATTRIBUTE(key, valid_from)
  WHERE
//: include rule r
  RETURN s, r, o
UNION ALL
  MATCH (s:Entity)-[r:BELIEF {key: $key}]->(o:Entity)
  USING INDEX r:BELIEF(key, valid_from)
  WHERE
//: include rule r
  RETURN s, r, o
}
RETURN collect({{belief}}) AS found
