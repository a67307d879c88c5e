// Which tenants this graph holds.
MATCH (p:Projection)
RETURN p.tenant AS tenant ORDER BY tenant
