// Ten columns of all that is believed about an entity, each collected by itself.
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE
//: include rule r
RETURN {{ten_columns}}
