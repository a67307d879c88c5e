// Every rectangle of one predicate that was ever believed by $known_at, closed ones too; closings
// after it are masked where the answer is made (queries.rows).
MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
WHERE r.predicate = $predicate AND r.recorded_from <= $known_at AND
//: include access r
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
