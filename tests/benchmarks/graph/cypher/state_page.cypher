// What is believed about the entities of a page, six columns, each collected by itself.
MATCH (s:Entity)
WHERE s.id >= $low AND ($high IS NULL OR s.id < $high) AND s.id STARTS WITH $prefix
MATCH (s)-[r:BELIEF|ATTRIBUTE]->(o)
WHERE
//: include rule r
RETURN collect(r.belief_id) AS belief, collect(s.entity) AS subject,
  collect(r.predicate) AS predicate, collect(coalesce(o.entity, o.text)) AS object,
  collect(r.valid_from) AS valid_from, collect(r.recorded_from) AS recorded_from
