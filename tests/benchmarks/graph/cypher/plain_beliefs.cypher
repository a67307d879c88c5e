// The same ten columns on the graph without time.
MATCH (s:PlainEntity {id: $entity})-[r:PLAIN_LINK|PLAIN_VALUE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate)
RETURN {{ten_rows}}
