// Every read is this one statement in one transaction: the verb, and what the graph says of
// itself before and after it. A reader that sees the epoch move repeats the read; `calm` tells
// that no batch was open from the one look to the other.
MATCH (before:Projection {tenant: $tenant})
WITH before.epoch AS epoch_before, before.position AS position_before,
     before.projecting IS NULL AS calm
CALL (epoch_before, calm) {
  {{verb}}
}
MATCH (p:Projection {tenant: $tenant})
RETURN epoch_before, p {.*} AS projection, found,
       calm AND p.projecting IS NULL AND p.position = position_before AS calm
