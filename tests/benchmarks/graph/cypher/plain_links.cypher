// Current edges only, no clocks; what they carry beside is carried here too.
MATCH (s:Entity)-[r:BELIEF]->(o)
WHERE
//: include rule r
CALL (s, r, o) {
  MATCH (a:PlainEntity {id: s.id})
  MATCH (b:PlainEntity {id: o.id})
  CREATE (a)-[:PLAIN_LINK {predicate: r.predicate, belief_id: r.belief_id, origin: r.origin,
    episode_id: r.episode_id, source: r.source, source_key: r.source_key, trust: r.trust,
    classified: r.classified, who: r.who, tags: r.tags, landed_at: r.landed_at}]->(b)
} IN TRANSACTIONS OF 5000 ROWS
