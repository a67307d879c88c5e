// Only forward, and only for the state that was verified.
MATCH (p:Projection {tenant: $tenant})
WHERE p.position = $position AND p.epoch = $epoch AND p.generation = $generation
  AND p.projecting IS NULL AND coalesce(p.watermark, $watermark) <= $watermark
SET p.watermark = $watermark, p.digest = $digest, p.snapshots = $snapshots, p.updated_at = $now
RETURN p {.*} AS projection
