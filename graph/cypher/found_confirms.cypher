//: variable r
// Edges r from e to s as rows of `open_confirms`, and how many properties each has in all.
WITH e, CASE WHEN s:Entity THEN s.id END AS far, properties(r) AS p
RETURN collect([e.id, far,
  p.valid_from, p.valid_to, p.recorded_from, p.recorded_to, p.listeners, p.classification,
  p.belief_id, p.support_id, p.statement_id, p.tenant, p.trust, p.episode_id,
  p.heard_at, p.imported, size(keys(p))]) AS found
