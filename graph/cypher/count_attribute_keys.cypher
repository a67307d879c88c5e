// How many edges of this kind each of these keys has.
UNWIND $keys AS key
WITH key, COUNT {
  MATCH ()-[r:ATTRIBUTE]->()
  USING INDEX r:ATTRIBUTE(key, valid_from)
  WHERE r.key = key AND r.valid_from IS NOT NULL
  RETURN r
} AS edges
RETURN collect([key, edges]) AS found
