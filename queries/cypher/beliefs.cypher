// What is believed about one entity, of one predicate or of all.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate) AND
//: include rule r
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
