// Is there any node of the tenant?
RETURN EXISTS { MATCH (n:Entity) WHERE n.id STARTS WITH $prefix }
  OR EXISTS { MATCH (n:Episode) WHERE n.id STARTS WITH $prefix } AS found
