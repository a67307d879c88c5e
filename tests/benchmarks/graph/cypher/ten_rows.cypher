// With clocks or without, the same is told: a list a belief.
collect([r.belief_id, s.entity, r.predicate, coalesce(o.entity, o.text),
  coalesce(o.kind, 'entity'), r.origin, r.episode_id, r.source, r.trust, r.classified]) AS found
