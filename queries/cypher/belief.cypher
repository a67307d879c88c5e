// One believed edge as a list, in the order that queries.rows reads; s, r and o are the subject,
// the edge and its object.
[r.belief_id, r.key, s.entity, r.predicate, coalesce(o.entity, o.text), coalesce(o.kind, 'entity'),
 r.valid_from, r.valid_to, r.recorded_from, r.recorded_to, r.valid_from_basis,
 coalesce(r.opened_by, r.origin), r.closed_by, r.reason,
 r.origin, r.episode_id, r.source, r.source_key, r.location, r.trust, r.classified, r.who, r.tags,
 r.landed_at, coalesce(r.heard_at, r.recorded_from), coalesce(r.imported, false)]
