// The value nodes again, for the graph without time.
MATCH (n:Value)
CALL (n) {
  CREATE (:PlainValue {id: n.id, predicate: n.predicate, kind: n.kind, text: n.text})
} IN TRANSACTIONS OF 10000 ROWS
