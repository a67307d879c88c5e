//: variable r
// Edges r that no tenant's rows tell of: those that reach the tenant's nodes from outside of it (no
// read of ours starts there, but an expansion from its nodes would meet them), and those that leave
// no node of the kind that such edges leave, whoever's they are (a read by their index would meet
// them). How many of the latter there are follows from counts that the store keeps.
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
}
