// What was opened or closed in the recorded period [$since, $until), as far as $known_at knows. One
// more than $most tells of an overflow. `closed_at` is set once and never moves, so its index is
// safe while a projector runs; one on recorded_to is not.
CALL () {
  MATCH (s:Entity)-[r:ATTRIBUTE]->(o:Value)
  USING INDEX SEEK r:ATTRIBUTE(recorded_from)
  WHERE $since <= r.recorded_from AND r.recorded_from < $until
    AND r.recorded_from <= $known_at AND r.tenant = $tenant AND
//: include access r
  RETURN s, r, o LIMIT $most + 1
UNION
  MATCH (s:Entity)-[r:BELIEF]->(o:Entity)
  USING INDEX SEEK r:BELIEF(recorded_from)
  WHERE $since <= r.recorded_from AND r.recorded_from < $until
    AND r.recorded_from <= $known_at AND r.tenant = $tenant AND
//: include access r
  RETURN s, r, o LIMIT $most + 1
UNION
  MATCH (s:Entity)-[r:ATTRIBUTE]->(o:Value)
  USING INDEX SEEK r:ATTRIBUTE(closed_at)
  WHERE $since <= r.closed_at AND r.closed_at < $until
    AND r.closed_at <= $known_at AND r.tenant = $tenant AND
//: include access r
  RETURN s, r, o LIMIT $most + 1
UNION
  MATCH (s:Entity)-[r:BELIEF]->(o:Entity)
  USING INDEX SEEK r:BELIEF(closed_at)
  WHERE $since <= r.closed_at AND r.closed_at < $until
    AND r.closed_at <= $known_at AND r.tenant = $tenant AND
//: include access r
  RETURN s, r, o LIMIT $most + 1
}
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
