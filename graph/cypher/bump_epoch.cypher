// What readers at or below the watermark may see is about to change.
MATCH (p:Projection {tenant: $tenant})
SET p.epoch = p.epoch + 1, p.updated_at = $now
RETURN p.epoch AS epoch
