// What the graph says of every tenant's projection.
MATCH (p:Projection)
RETURN p {.*} AS projection ORDER BY p.tenant
