// The last transaction of a batch: nobody else has moved the position or begun to write
// meanwhile. A proof of the state that the batch began with follows the epoch: what the batch
// moved it for is among what it tells the verification of. What cannot be read of what the last
// publication told is left to the next one.
MATCH (p:Projection {tenant: $tenant})
WHERE p.position = $from AND p.generation = $generation AND p.writer = $writer
SET p.position = $to, p.projecting = null, p.ledger_to = $ledger_to, p.clock = $clock,
    p.attested_to = $attested_to, p.epoch = p.epoch + $bump, p.below = null, p.batch = $batch,
    p.watermark = $watermark,
    p.digest = CASE WHEN $odd THEN null ELSE p.digest END,
    p.snapshots = CASE WHEN $odd THEN null ELSE p.snapshots END,
    p.schema_version = $schema_version, p.writer = null, p.updated_at = $now
WITH p
OPTIONAL MATCH (d:ProjectionProof {tenant: $tenant})
WHERE d.generation = $generation AND d.epoch = $epoch
SET d.epoch = p.epoch
RETURN p {.*} AS projection
