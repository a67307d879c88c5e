// What is reached by believed steps, by the reading rule alone.
MATCH (a:Entity {id: $entity})(()-[r:BELIEF WHERE
//: include rule r
]->()){1,3}(b:Entity)
WHERE b <> a
RETURN collect(DISTINCT b.entity) AS found
