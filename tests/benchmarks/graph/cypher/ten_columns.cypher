// With clocks or without, the same is told: a list a column.
collect(r.belief_id) AS belief, collect(s.entity) AS subject,
  collect(r.predicate) AS predicate, collect(coalesce(o.entity, o.text)) AS object,
  collect(coalesce(o.kind, 'entity')) AS kind, collect(r.origin) AS origin,
  collect(r.episode_id) AS episode, collect(r.source) AS source, collect(r.trust) AS trust,
  collect(r.classified) AS classified
