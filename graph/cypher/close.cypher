UNWIND $rows AS row
CALL (row) {
  MATCH ()-[r:BELIEF {belief_id: row[0]}]->()
  RETURN r
  UNION ALL
  MATCH ()-[r:ATTRIBUTE {belief_id: row[0]}]->()
  RETURN r
}
SET r.recorded_to = row[1], r.closed_by = row[2], r.reason = row[3], r.closed_at = row[1]
RETURN count(*) AS done
