// Ten columns of what is believed, by the reading rule alone: no evidence, no frame.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate) AND
//: include rule r
RETURN collect([r.belief_id, s.entity, r.predicate, coalesce(o.entity, o.text),
  coalesce(o.kind, 'entity'), r.origin, r.episode_id, r.source, r.trust, r.classified]) AS found
