// One believed edge as a list, in the order that queries.rows reads; s and o are its ends, p its
// properties, which are read once: each property by itself would walk the edge's records anew.
[p.belief_id, p.key, s.entity, p.predicate, coalesce(o.entity, o.text), coalesce(o.kind, 'entity'),
 p.valid_from, p.valid_to, p.recorded_from, p.recorded_to, p.valid_from_basis,
 coalesce(p.opened_by, p.origin), p.closed_by, p.reason,
 p.origin, p.episode_id, p.source, p.source_key, p.location, p.trust, p.classified, p.who, p.tags,
 p.landed_at, coalesce(p.heard_at, p.recorded_from), coalesce(p.imported, false)]
