// Who else says so: the confirmations of some beliefs that are live at the basis.
UNWIND $beliefs AS belief
MATCH (e:Episode)-[r:CONFIRMS {belief_id: belief}]->()
USING INDEX SEEK r:CONFIRMS(belief_id)
WHERE
//: include rule r
RETURN collect([r.belief_id, r.statement_id, e.episode, e.source, e.source_key, e.location,
  r.trust, r.classification, e.who, e.tags, e.landed_at,
  coalesce(r.heard_at, r.recorded_from), coalesce(r.imported, false)]) AS found
