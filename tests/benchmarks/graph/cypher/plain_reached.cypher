// The same on the graph without time.
MATCH (a:PlainEntity {id: $entity})(()-[r:PLAIN_LINK]->()){1,3}(b:PlainEntity)
WHERE b <> a
RETURN collect(DISTINCT b.entity) AS found
