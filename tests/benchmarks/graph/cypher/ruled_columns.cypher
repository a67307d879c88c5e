// Ten columns of all that is believed about an entity, each collected by itself.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE
//: include rule r
RETURN collect(r.belief_id) AS belief, collect(s.entity) AS subject,
  collect(r.predicate) AS predicate, collect(coalesce(o.entity, o.text)) AS object,
  collect(coalesce(o.kind, 'entity')) AS kind, collect(r.origin) AS origin,
  collect(r.episode_id) AS episode, collect(r.source) AS source, collect(r.trust) AS trust,
  collect(r.classified) AS classified
