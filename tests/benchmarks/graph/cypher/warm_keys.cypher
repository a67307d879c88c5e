// Every leaf of the indexes that find a key.
CALL () {
  MATCH ()-[r:ATTRIBUTE]->()
  USING INDEX SEEK r:ATTRIBUTE(key, valid_from)
  WHERE r.key >= '' AND r.valid_from IS NOT NULL
  RETURN count(r) AS read
UNION ALL
  MATCH ()-[r:BELIEF]->()
  USING INDEX SEEK r:BELIEF(key, valid_from)
  WHERE r.key >= '' AND r.valid_from IS NOT NULL
  RETURN count(r) AS read
}
RETURN sum(read) AS read
