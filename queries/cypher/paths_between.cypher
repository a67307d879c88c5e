// How two entities hang together: every shortest chain of believed steps, whichever way each of
// them points. Every edge is told once, paths name them. One more than $most tells of an overflow.
MATCH (start:Entity {id: $entity}), (end:Entity {id: $end})
WHERE start <> end
MATCH ALL SHORTEST (start)(()-[r:BELIEF WHERE
//: include rule r
]-()){1,3}(end)
WITH r LIMIT $most + 1
WITH collect(r) AS paths
RETURN [
  [path IN paths | [step IN path | step.belief_id]],
  COLLECT {
    UNWIND paths AS path
    UNWIND path AS r
    WITH DISTINCT r
    WITH startNode(r) AS s, properties(r) AS p, endNode(r) AS o
    RETURN {{belief}}
  }
] AS found
