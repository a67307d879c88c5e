// Every read is this one statement in one transaction: the verb, and what the graph says of
// itself before and after it. A reader that sees the epoch move repeats the read. What is said
// after comes as one map: a property that was asked for before could be told from memory.
MATCH (p:Projection {tenant: $tenant})
WITH p, p.epoch AS epoch_before, p.updated_at AS changed_before, p.projecting IS NULL AS calm,
  p.ledger_to AS ledger_to
CALL (epoch_before, calm, ledger_to) {
  {{verb}}
}
RETURN epoch_before, changed_before, calm, found, p {.*} AS projection
