// The same ten columns on the graph without time.
MATCH (s:PlainEntity {id: $entity})-[r:PLAIN_LINK|PLAIN_VALUE]->(o)
RETURN {{ten_columns}}
