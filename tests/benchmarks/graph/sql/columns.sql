r.belief_id, r.key, r.subject, r.predicate, r.object, r.object_kind, r.valid_from, r.valid_to,
r.recorded_from, CASE WHEN q.known_at < r.recorded_to THEN {forever} ELSE r.recorded_to END,
CASE WHEN q.known_at >= r.recorded_to AND (q.clearance = 3 OR r.closed_by = r.origin)
     THEN r.closed_by END,
CASE WHEN q.known_at >= r.recorded_to THEN r.reason END,
CASE WHEN q.clearance = 3 OR r.opened_by = r.origin THEN r.opened_by END,
r.origin, r.episode_id, r.trust, r.classification
