MATCH (p:Projection {tenant: $tenant})
RETURN p {.*} AS projection
