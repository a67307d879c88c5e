// Every believed edge within $hops steps of an entity, whichever way it points, with the step at
// which it is first met: the edges of the entity, then those of all that is reached one step
// earlier.
CALL () {
  MATCH (near:Entity {id: $entity})
  RETURN near, 1 AS step
UNION
  MATCH (start:Entity {id: $entity})
  WHERE $hops > 1
  MATCH SHORTEST 1 (start)(()-[r:BELIEF WHERE
//: include rule r
]-()){1,2}(near:Entity)
  RETURN near, size(r) + 1 AS step
}
MATCH (near)-[r:BELIEF]-()
WHERE
//: include rule r
WITH r, min(step) AS step
WITH startNode(r) AS s, properties(r) AS p, endNode(r) AS o, step
RETURN collect([step, {{belief}}]) AS found
