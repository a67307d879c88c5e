// Ten columns of what is believed, by the reading rule alone: no evidence, no frame.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE ($predicate IS NULL OR r.predicate = $predicate) AND
//: include rule r
RETURN {{ten_rows}}
