// A verification found that the graph differs: answers say so until it was found equal again.
MATCH (p:Projection {tenant: $tenant})
SET p.differs_since = coalesce(p.differs_since, $now)
WITH p
OPTIONAL MATCH (d:ProjectionProof {tenant: $tenant})
DELETE d
