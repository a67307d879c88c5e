// Only of the state that was verified, and while nobody writes.
MATCH (p:Projection {tenant: $tenant})
WHERE p.position = $position AND p.epoch = $epoch AND p.generation = $generation
  AND p.projecting IS NULL
SET p.differs_since = null
WITH p
MERGE (d:ProjectionProof {tenant: $tenant})
SET d.position = $position, d.epoch = $epoch, d.generation = $generation,
    d.buckets = $buckets, d.digest = $digest, d.form = $form, d.verified_at = $now
RETURN d {.*} AS proof
