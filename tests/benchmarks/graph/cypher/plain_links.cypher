// Current edges only, no clocks; what they carry beside is carried here too.
MATCH (s:Entity)-[r:BELIEF]->(o)
WHERE
//: include rule r
CALL (s, r, o) {
  MATCH (a:PlainEntity {id: s.id})
  MATCH (b:PlainEntity {id: o.id})
  CREATE (a)-[:PLAIN_LINK {{carried}}]->(b)
} IN TRANSACTIONS OF 5000 ROWS
