MATCH (n:Episode) WHERE n.id STARTS WITH $prefix
MATCH (n)-[r]->()
CALL (r) { DELETE r } IN TRANSACTIONS OF $rows ROWS
