// Nothing of the tenant is left: a projection may begin.
MATCH (p:Projection {tenant: $tenant})
SET p.projecting = null, p.updated_at = $now
