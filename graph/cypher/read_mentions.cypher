MATCH (e:Episode)
WHERE e.id >= $low AND e.id <= $high AND e.id STARTS WITH $prefix
MATCH (e)-[r:MENTIONS]->(s)
WITH e, s, properties(r) AS p
RETURN collect([e.id, s.id, p.recorded_from, p.tenant, size(keys(p))]) AS found
