// `projecting` below zero: a drop is under way, and whoever finds it so drops again. Who was
// writing stops at its next transaction.
MATCH (p:Projection {tenant: $tenant})
SET p.position = 0, p.watermark = null, p.digest = null, p.projecting = -1, p.below = null,
    p.ledger_to = null, p.batch = null, p.clock = null, p.attested_to = null, p.writer = null,
    p.differs_since = null,
    p.epoch = coalesce(p.epoch, 0) + 1, p.generation = coalesce(p.generation, 0) + 1, p.updated_at = $now
WITH p
OPTIONAL MATCH (l:ProjectionLane) WHERE l.id IN $lanes
SET l.writer = null
WITH DISTINCT p
OPTIONAL MATCH (d:ProjectionProof {tenant: $tenant})
DELETE d
