// Nothing of the tenant is left: a projection of this version may begin.
MATCH (p:Projection {tenant: $tenant})
SET p.projecting = null, p.schema_version = $schema_version, p.updated_at = $now
