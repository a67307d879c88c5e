MATCH (d:ProjectionProof {tenant: $tenant})
DELETE d
