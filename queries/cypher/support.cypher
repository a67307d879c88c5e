// Who else says so: the confirmations of some beliefs that are live at the basis.
UNWIND $beliefs AS belief
MATCH (e:Episode)-[r:CONFIRMS {belief_id: belief}]->(s:Entity)
USING INDEX r:CONFIRMS(belief_id)
WHERE
//: include rule r
OPTIONAL MATCH (e)-[m:MENTIONS]->(s)
RETURN collect([r.belief_id, r.statement_id, e.episode, e.source, e.source_key, e.location,
  e.landed_at, r.recorded_from, e.attested_at, m.recorded_from,
  r.trust, r.classification, e.who, e.tags]) AS found
