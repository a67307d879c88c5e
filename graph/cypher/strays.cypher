//: variable r
// Edges r that no tenant's rows tell of: those that reach the tenant's nodes from outside of it (no
// read of ours starts there, but an expansion from its nodes would meet them); those that leave no
// node of the kind that such edges leave, or one that is neither in a projection nor of the tenant
// that they name, whoever's they are (a read by their index would meet them). Whether there are any
// follows from counts: of what the store keeps, and of the ids in an index.
CALL () {
  MATCH (n:Entity) WHERE n.id STARTS WITH $prefix
  MATCH (x)-[r:BELIEF|ATTRIBUTE|CONFIRMS|MENTIONS]->(n)
  WHERE x.tenant IS NULL OR x.tenant <> $tenant OR x.id IS NULL OR NOT x.id STARTS WITH $prefix
  RETURN r
  UNION
  MATCH (n:Value {tenant: $tenant})<-[r:BELIEF|ATTRIBUTE|CONFIRMS|MENTIONS]-(x)
  WHERE x.tenant IS NULL OR x.tenant <> $tenant OR x.id IS NULL OR NOT x.id STARTS WITH $prefix
  RETURN r
  UNION
  WITH COUNT { ()-[:BELIEF]->() } + COUNT { ()-[:ATTRIBUTE]->() } AS every,
       COUNT { (:Entity)-[:BELIEF]->() } + COUNT { (:Entity)-[:ATTRIBUTE]->() } AS placed
  UNWIND CASE WHEN placed < every THEN [1] ELSE [] END AS _
  MATCH (x)-[r:BELIEF|ATTRIBUTE]->()
  WHERE NOT x:Entity
  RETURN r
  UNION
  WITH COUNT { ()-[:CONFIRMS]->() } + COUNT { ()-[:MENTIONS]->() } AS every,
       COUNT { (:Episode)-[:CONFIRMS]->() } + COUNT { (:Episode)-[:MENTIONS]->() } AS placed
  UNWIND CASE WHEN placed < every THEN [1] ELSE [] END AS _
  MATCH (x)-[r:CONFIRMS|MENTIONS]->()
  WHERE NOT x:Episode
  RETURN r
  UNION
  WITH COUNT { (:Entity) } AS every,
       COUNT {
         MATCH (p:Projection)
         MATCH (x:Entity) WHERE x.id STARTS WITH p.tenant + '/'
         RETURN x
       } AS owned
  UNWIND CASE WHEN owned < every THEN [1] ELSE [] END AS _
  MATCH (x:Entity)
  WHERE NOT EXISTS { MATCH (p:Projection) WHERE x.id STARTS WITH p.tenant + '/' }
  MATCH (x)-[r:BELIEF|ATTRIBUTE]->()
  WHERE coalesce(NOT x.id STARTS WITH r.tenant + '/', true)
  RETURN r
  UNION
  WITH COUNT { (:Episode) } AS every,
       COUNT {
         MATCH (p:Projection)
         MATCH (x:Episode) WHERE x.id STARTS WITH p.tenant + '/'
         RETURN x
       } AS owned
  UNWIND CASE WHEN owned < every THEN [1] ELSE [] END AS _
  MATCH (x:Episode)
  WHERE NOT EXISTS { MATCH (p:Projection) WHERE x.id STARTS WITH p.tenant + '/' }
  MATCH (x)-[r:CONFIRMS]->()
  WHERE coalesce(NOT x.id STARTS WITH r.tenant + '/', true)
  RETURN r
}
