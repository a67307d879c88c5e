// What is believed of one entity at two pairs of instants, in one read; here the rule's parameters
// are each pair's (queries.statements.asked_by).
UNWIND $questions AS q
CALL (q) {
  MATCH (s:Entity {id: $entity})-[r:BELIEF|ATTRIBUTE]->(o)
  WHERE ($predicate IS NULL OR r.predicate = $predicate) AND
//: include rule r
  WITH s, properties(r) AS p, o
  RETURN collect({{belief}}) AS told
}
RETURN collect([q.number, told]) AS found
