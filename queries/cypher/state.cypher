// A page of the whole state, in the order of the entities' ids: the last id of the page, then
// column by column what is believed of its entities.
MATCH (s:Entity)
WHERE s.id >= $from AND s.id < $stop
WITH s ORDER BY s.id LIMIT $page
WITH collect(s) AS page
CALL (page) {
  UNWIND page AS s
  MATCH (s)-[r:BELIEF|ATTRIBUTE]->(o)
  WHERE
//: include rule r
  RETURN {{columns}} AS columns
}
RETURN [page[-1].id, columns] AS found
