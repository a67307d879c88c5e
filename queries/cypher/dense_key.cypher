// What is believed of one key that may be dense. A dense key has forks (graph.fork): while no batch
// is open, one ordered seek for each of $forks that may be there. Of one key, fork and listener no two
// edges overlap, so the last to begin is the only candidate; but for $leaf, whose edges are looked at
// one by one. All edges of a dense key have forks, so a kind of edge that has none is not looked for.
// Without forks, or while a batch is open, the key is expanded.
WITH calm AND EXISTS {
  MATCH ()-[d:ATTRIBUTE]->()
  USING INDEX SEEK d:ATTRIBUTE(key, fork, valid_from)
  WHERE d.key = $key AND d.fork IS NOT NULL AND d.valid_from IS NOT NULL
  RETURN d
} AS values, calm AND EXISTS {
  MATCH ()-[d:BELIEF]->()
  USING INDEX SEEK d:BELIEF(key, fork, valid_from)
  WHERE d.key = $key AND d.fork IS NOT NULL AND d.valid_from IS NOT NULL
  RETURN d
} AS entities, [fork IN $forks WHERE fork <= coalesce(ledger_to, fork) OR fork IN $open] AS forks
CALL (values, entities, forks) {
CALL (values, entities, forks) {
  WITH forks WHERE values
  CALL (forks) {
    UNWIND forks AS fork
    CALL (fork) {
      MATCH ()-[r:ATTRIBUTE]->()
      USING INDEX SEEK r:ATTRIBUTE(key, fork, valid_from)
      WHERE r.key = $key AND r.fork = fork AND r.valid_from <= $valid_at
        AND r.listeners / $listener % 2 = 1
      RETURN r ORDER BY r.key DESC, r.fork DESC, r.valid_from DESC LIMIT 1
    }
    RETURN r
  UNION ALL
    MATCH ()-[r:ATTRIBUTE]->()
    USING INDEX SEEK r:ATTRIBUTE(key, fork, valid_from)
    WHERE r.key = $key AND r.fork = $leaf AND r.valid_from <= $valid_at
    RETURN r
  }
  WITH r
  WHERE
//: include rule r
  RETURN startNode(r) AS s, r, endNode(r) AS o
UNION ALL
  WITH forks WHERE entities
  CALL (forks) {
    UNWIND forks AS fork
    CALL (fork) {
      MATCH ()-[r:BELIEF]->()
      USING INDEX SEEK r:BELIEF(key, fork, valid_from)
      WHERE r.key = $key AND r.fork = fork AND r.valid_from <= $valid_at
        AND r.listeners / $listener % 2 = 1
      RETURN r ORDER BY r.key DESC, r.fork DESC, r.valid_from DESC LIMIT 1
    }
    RETURN r
  UNION ALL
    MATCH ()-[r:BELIEF]->()
    USING INDEX SEEK r:BELIEF(key, fork, valid_from)
    WHERE r.key = $key AND r.fork = $leaf AND r.valid_from <= $valid_at
    RETURN r
  }
  WITH r
  WHERE
//: include rule r
  RETURN startNode(r) AS s, r, endNode(r) AS o
UNION ALL
  UNWIND CASE WHEN values OR entities THEN [] ELSE [$key] END AS key
  MATCH (s:Entity)-[r:ATTRIBUTE {key: key}]->(o:Value)
  USING INDEX SEEK r:ATTRIBUTE(key, valid_from)
  WHERE
//: include rule r
  RETURN s, r, o
UNION ALL
  UNWIND CASE WHEN values OR entities THEN [] ELSE [$key] END AS key
  MATCH (s:Entity)-[r:BELIEF {key: key}]->(o:Entity)
  USING INDEX SEEK r:BELIEF(key, valid_from)
  WHERE
//: include rule r
  RETURN s, r, o
}
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS told
}
RETURN [values OR entities, told] AS found
