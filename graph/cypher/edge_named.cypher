//: variable r
// The edge r of either type whose belief_id stands first in the row.
CALL (row) {
  MATCH ()-[r:BELIEF {belief_id: row[0]}]->()
  RETURN r
  UNION ALL
  MATCH ()-[r:ATTRIBUTE {belief_id: row[0]}]->()
  RETURN r
}
