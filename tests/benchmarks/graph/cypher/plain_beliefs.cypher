// The same ten columns on the graph without time.
MATCH (s:PlainEntity {id: $entity})-[r:PLAIN_LINK|PLAIN_VALUE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate)
RETURN collect([r.belief_id, s.entity, r.predicate, coalesce(o.entity, o.text),
  coalesce(o.kind, 'entity'), r.origin, r.episode_id, r.source, r.trust, r.classified]) AS found
