// From here until advance_projection a batch is open: what it wrote is above the watermark.
MERGE (p:Projection {tenant: $tenant})
ON CREATE SET p.position = 0, p.epoch = 0, p.generation = 1, p.schema_version = $schema_version
SET p.projecting = CASE WHEN p.position = $from THEN $to ELSE p.projecting END,
    p.updated_at = $now
RETURN p {.*} AS projection
