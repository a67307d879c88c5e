UNWIND $rows AS row
CALL (row) {
  MATCH ()-[r:BELIEF {belief_id: row[0]}]->()
  RETURN r
  UNION ALL
  MATCH ()-[r:ATTRIBUTE {belief_id: row[0]}]->()
  RETURN r
}
SET r.fork = row[1]
RETURN count(*) AS done
