// Many questions in one read, each at its own pair of instants and for its own listener; here
// the rule's parameters are the question's (queries.statements.asked_by).
UNWIND $questions AS q
CALL (q) {
  MATCH (:Entity {id: q.entity})-[r:BELIEF|ATTRIBUTE]->(o)
  WHERE r.predicate = q.predicate AND
//: include rule r
  RETURN collect([coalesce(o.entity, o.text), o.kind, r.origin, COLLECT {
    MATCH ()-[c:CONFIRMS {belief_id: r.belief_id}]->()
    USING INDEX SEEK c:CONFIRMS(belief_id)
    WHERE
//: include rule c
    RETURN c.statement_id
  }]) AS believed
}
RETURN collect([q.number, believed]) AS found
