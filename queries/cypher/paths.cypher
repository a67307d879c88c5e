// What is reached from an entity by believed steps, with the fewest; of equally short paths the
// one whose belief ids come first. Every edge is told once, paths name them.
MATCH ALL SHORTEST (start:Entity {id: $entity})(()-[r:BELIEF WHERE
//: include rule r
]->()){1,3}(end:Entity)
WHERE end <> start
WITH end, r ORDER BY [step IN r | step.belief_id]
WITH end, head(collect(r)) AS steps
WITH collect({end: end.entity, steps: steps}) AS paths
RETURN [
  [path IN paths | [path.end, [step IN path.steps | step.belief_id]]],
  COLLECT {
    UNWIND paths AS path
    UNWIND path.steps AS r
    WITH DISTINCT r
    WITH startNode(r) AS s, properties(r) AS p, endNode(r) AS o
    RETURN {{belief}}
  }
] AS found
