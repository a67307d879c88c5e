// Current edges only, no clocks; what they carry beside is carried here too.
MATCH (s:Entity)-[r:ATTRIBUTE]->(o)
WHERE
//: include rule r
CALL (s, r, o) {
  MATCH (a:PlainEntity {id: s.id})
  MATCH (b:PlainValue {id: o.id})
  CREATE (a)-[:PLAIN_VALUE {{carried}}]->(b)
} IN TRANSACTIONS OF 5000 ROWS
