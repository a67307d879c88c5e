//: variable p
// The properties of `edge`, in its order.
p.valid_from, p.valid_to, p.recorded_from, p.recorded_to, p.listeners, p.classification,
p.belief_id, p.key, p.predicate, p.tenant, p.episode_id, p.origin, p.source, p.source_key,
p.location, p.trust, p.verification, p.classified, p.valid_from_basis, p.who, p.tags,
p.landed_at, p.heard_at, p.imported, p.opened_by, p.closed_by, p.reason
