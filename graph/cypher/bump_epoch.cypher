// What readers at or below the watermark may see is about to change; until the batch is closed
// a read that sees `below` is repeated.
MATCH (p:Projection {tenant: $tenant})
WHERE p.writer = $writer
SET p.epoch = p.epoch + 1, p.below = true, p.updated_at = $now
RETURN p {.*} AS projection
