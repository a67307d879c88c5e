//: variable p
// The properties of `edge`, in its order.
p.valid_from, p.valid_to, p.recorded_from, p.recorded_to, p.listeners, p.classification,
p.landed_at, p.belief_id, p.trust, p.key, p.classified, p.origin, p.tenant, p.episode_id,
p.predicate, p.source, p.verification, p.valid_from_basis, p.source_key, p.location, p.who,
p.tags, p.heard_at, p.imported, p.opened_by, p.closed_by, p.reason,
p.closed_at, p.fork
