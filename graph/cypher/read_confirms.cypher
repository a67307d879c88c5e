MATCH (e:Episode)
WHERE e.id >= $low AND e.id <= $high AND e.id STARTS WITH $prefix
MATCH (e)-[r:CONFIRMS]->(s)
WITH e, s, properties(r) AS p
RETURN collect([e.id, s.id,
  p.valid_from, p.valid_to, p.recorded_from, p.recorded_to, p.listeners, p.classification,
  p.belief_id, p.support_id, p.statement_id, p.tenant, p.trust, p.episode_id,
  p.heard_at, p.imported, size(keys(p))]) AS found
