MATCH (d:ProjectionProof {tenant: $tenant})
RETURN d {.*} AS proof
