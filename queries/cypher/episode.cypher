// Everything that came from an episode, known by $known_at: the rectangles it is the origin of, and
// those it confirmed. An episode's id is the tenant's own, so the tenant is tested.
CALL () {
  MATCH (s:Entity)-[r:ATTRIBUTE {episode_id: $episode}]->(o:Value)
  USING INDEX SEEK r:ATTRIBUTE(episode_id)
  WHERE r.tenant = $tenant
  RETURN s, r, o
UNION
  MATCH (s:Entity)-[r:BELIEF {episode_id: $episode}]->(o:Entity)
  USING INDEX SEEK r:BELIEF(episode_id)
  WHERE r.tenant = $tenant
  RETURN s, r, o
UNION
  MATCH (:Episode {id: $node})-[c:CONFIRMS]->()
  WHERE c.recorded_from <= $known_at AND
//: include access c
  WITH DISTINCT c.belief_id AS belief
  MATCH (s:Entity)-[r:ATTRIBUTE {belief_id: belief}]->(o:Value)
  USING INDEX SEEK r:ATTRIBUTE(belief_id)
  RETURN s, r, o
UNION
  MATCH (:Episode {id: $node})-[c:CONFIRMS]->()
  WHERE c.recorded_from <= $known_at AND
//: include access c
  WITH DISTINCT c.belief_id AS belief
  MATCH (s:Entity)-[r:BELIEF {belief_id: belief}]->(o:Entity)
  USING INDEX SEEK r:BELIEF(belief_id)
  RETURN s, r, o
}
WITH s, r, o
WHERE r.recorded_from <= $known_at AND
//: include access r
WITH s, properties(r) AS p, o
RETURN collect({{belief}}) AS found
