// What is believed of one entity, of one predicate or of all, column by column: beyond some fifty
// rows a column is cheaper than its rows.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate) AND
//: include rule r
RETURN {{columns}} AS found
