// Only the state that was verified, and only forward: what is told already is not written again.
// The first SET locks the node, what is read behind it is the newest.
MATCH (p:Projection {tenant: $tenant})
WHERE p.position = $position AND p.epoch = $epoch AND p.generation = $generation
  AND p.projecting IS NULL
WITH p, coalesce(p.watermark >= $reach AND p.digest = $digest AND p.snapshots = $snapshots, false) AS told
FOREACH (_ IN CASE WHEN told THEN [] ELSE [p] END | SET p.updated_at = $now)
WITH p, told
WHERE p.position = $position AND p.epoch = $epoch AND p.generation = $generation
  AND p.projecting IS NULL
FOREACH (_ IN CASE WHEN told THEN [] ELSE [p] END |
  SET p.watermark = CASE WHEN p.watermark > $reach THEN p.watermark ELSE $reach END,
      p.digest = $digest, p.snapshots = $snapshots)
RETURN p {.*} AS projection
