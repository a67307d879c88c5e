// Every read is this one statement in one transaction: the verb, and what the graph says of
// itself before and after it. A reader that sees the epoch move repeats the read.
MATCH (before:Projection {tenant: $tenant})
WITH before.epoch AS epoch_before
CALL (epoch_before) {
  {{verb}}
}
MATCH (p:Projection {tenant: $tenant})
RETURN epoch_before, p {.*} AS projection, found
