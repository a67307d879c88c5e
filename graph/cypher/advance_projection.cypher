// The last transaction of a batch: nobody else has moved the position meanwhile.
MATCH (p:Projection {tenant: $tenant})
WHERE p.position = $from AND p.generation = $generation
SET p.position = $to, p.projecting = null, p.ledger_to = $ledger_to, p.clock = $clock,
    p.attested_to = $attested_to, p.epoch = p.epoch + $bump, p.below = null,
    p.schema_version = $schema_version, p.updated_at = $now
RETURN p {.*} AS projection
