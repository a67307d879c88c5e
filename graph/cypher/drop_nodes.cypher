CALL () {
  MATCH (n:Entity) WHERE n.id STARTS WITH $prefix RETURN n
  UNION ALL
  MATCH (n:Episode) WHERE n.id STARTS WITH $prefix RETURN n
  UNION ALL
  MATCH (n:Value) WHERE n.tenant = $tenant RETURN n
}
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF $rows ROWS
