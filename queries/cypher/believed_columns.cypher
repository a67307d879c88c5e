// The columns of queries.streaming.States; s, r and o are the subject, the edge and its object.
[collect(s.entity), collect(r.predicate), collect(coalesce(o.entity, o.text)),
 collect(coalesce(o.kind, 'entity')), collect(r.valid_from), collect(r.valid_to),
 collect(r.recorded_from), collect(r.trust), collect(r.origin), collect(r.episode_id)]
