//: variable r
// Edges r that reach a tenant's nodes from outside of it: no read of ours starts there, but an
// expansion from its nodes would meet them.
CALL () {
  MATCH (n:Entity) WHERE n.id STARTS WITH $prefix
  MATCH (x)-[r:BELIEF|ATTRIBUTE|CONFIRMS|MENTIONS]->(n)
  WHERE x.tenant IS NULL OR x.tenant <> $tenant
  RETURN r
  UNION
  MATCH (n:Value {tenant: $tenant})<-[r:BELIEF|ATTRIBUTE|CONFIRMS|MENTIONS]-(x)
  WHERE x.tenant IS NULL OR x.tenant <> $tenant
  RETURN r
}
