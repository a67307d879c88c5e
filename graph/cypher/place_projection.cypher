// A tenant's rows came in by the bulk import: what their Projection node says of them. Nobody
// reads this store yet; generation and epoch lie above those of the store that it will replace.
MERGE (p:Projection {tenant: $tenant})
SET p.position = $position, p.ledger_to = $ledger_to, p.clock = $clock,
    p.attested_to = $attested_to, p.batch = $batch, p.epoch = $epoch, p.generation = $generation,
    p.schema_version = $schema_version, p.updated_at = $now
RETURN p {.*} AS projection
