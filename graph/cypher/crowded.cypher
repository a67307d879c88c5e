// How many edges each of these keys has; and of these edges, which have been closed, those that
// have a fork: it moves.
RETURN [COLLECT {
  UNWIND $keys AS key
  RETURN [key, COUNT {
    MATCH ()-[r:ATTRIBUTE]->()
    USING INDEX SEEK r:ATTRIBUTE(key, valid_from)
    WHERE r.key = key AND r.valid_from IS NOT NULL
    RETURN r
  } + COUNT {
    MATCH ()-[r:BELIEF]->()
    USING INDEX SEEK r:BELIEF(key, valid_from)
    WHERE r.key = key AND r.valid_from IS NOT NULL
    RETURN r
  }]
}, COLLECT {
  UNWIND $ids AS id
  WITH [id] AS row
  //: include edge_named r
  WITH r
  WHERE r.fork IS NOT NULL
  RETURN [r.belief_id, r.recorded_from, r.recorded_to]
}] AS found
