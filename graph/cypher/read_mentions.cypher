MATCH (e:Episode)
WHERE e.id >= $low AND e.id <= $high
MATCH (e)-[r:MENTIONS]->(s)
WITH e, CASE WHEN s:Entity THEN s.id END AS far, properties(r) AS p
RETURN collect([e.id, far, p.recorded_from, p.tenant, size(keys(p))]) AS found
