// Who reaches a value by a chain of predicates: $via, then $predicate at the end of it. Found
// from the value backwards; every edge is told once, paths name them.
CALL () {
  MATCH (last:Entity)-[r:ATTRIBUTE]->(:Value {id: $value})
  WHERE r.predicate = $predicate AND
//: include rule r
  RETURN last, r AS held
UNION ALL
  MATCH (last:Entity)-[r:BELIEF]->(:Entity {id: $entity})
  WHERE r.predicate = $predicate AND
//: include rule r
  RETURN last, r AS held
}
MATCH (first:Entity)(()-[r:BELIEF WHERE r.predicate IN $via AND
//: include rule r
]->()){2}(last)
WHERE all(i IN range(0, size($via) - 1) WHERE (r[i]).predicate = $via[i])
WITH collect({start: first.entity, steps: r + [held]}) AS paths
RETURN [
  [path IN paths | [path.start, [step IN path.steps | step.belief_id]]],
  COLLECT {
    UNWIND paths AS path
    UNWIND path.steps AS r
    WITH DISTINCT r
    WITH startNode(r) AS s, properties(r) AS p, endNode(r) AS o
    RETURN {{belief}}
  }
] AS found
