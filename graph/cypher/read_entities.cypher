MATCH (n:Entity)
WHERE n.id >= $low AND n.id <= $high
RETURN collect([n.id, n.tenant, n.entity, n.type,
  [label IN labels(n) WHERE label <> 'Entity'], size(keys(n))]) AS found
