// A page of the whole state: column by column what is believed of the entities with ids from $from
// up to $stop.
MATCH (s:Entity)
WHERE s.id >= $from AND s.id < $stop
WITH s ORDER BY s.id
MATCH (s)-[r:BELIEF|ATTRIBUTE]->(o)
WHERE
//: include rule r
RETURN {{columns}} AS found
