// What is believed of one key, found by the key's own index and not from its entity; null where
// $crowd edges or more would have to be looked at (dense_key).
CALL () {
  MATCH ()-[r:ATTRIBUTE]->()
  USING INDEX SEEK r:ATTRIBUTE(key, valid_from)
  WHERE r.key = $key AND r.valid_from <= $valid_at
  RETURN r LIMIT $crowd
UNION ALL
  MATCH ()-[r:BELIEF]->()
  USING INDEX SEEK r:BELIEF(key, valid_from)
  WHERE r.key = $key AND r.valid_from <= $valid_at
  RETURN r LIMIT $crowd
}
WITH collect(r) AS edges
RETURN CASE WHEN size(edges) < $crowd THEN COLLECT {
  UNWIND edges AS r
  WITH r
  WHERE
//: include rule r
  WITH startNode(r) AS s, properties(r) AS p, endNode(r) AS o
  RETURN {{belief}}
} END AS found
