// The edges of dense keys that have no fork yet.
CALL () {
  UNWIND $keys AS key
  MATCH ()-[r:ATTRIBUTE]->()
  USING INDEX SEEK r:ATTRIBUTE(key, valid_from)
  WHERE r.key = key AND r.valid_from IS NOT NULL AND r.fork IS NULL
  RETURN r
UNION ALL
  UNWIND $keys AS key
  MATCH ()-[r:BELIEF]->()
  USING INDEX SEEK r:BELIEF(key, valid_from)
  WHERE r.key = key AND r.valid_from IS NOT NULL AND r.fork IS NULL
  RETURN r
}
RETURN collect([r.belief_id, r.recorded_from, r.recorded_to]) AS found
