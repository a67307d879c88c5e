// The entities again, for the graph without time.
MATCH (n:Entity)
CALL (n) {
  CREATE (:PlainEntity {id: n.id, entity: n.entity, type: n.type})
} IN TRANSACTIONS OF 10000 ROWS
