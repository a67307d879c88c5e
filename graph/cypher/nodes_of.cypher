// What is sure of these nodes from some of their edges; of an episode, what stands there whatever
// was erased of it.
RETURN [COLLECT {
  UNWIND $entities AS id
  MATCH (n:Entity {id: id})
  RETURN [n.id, n.tenant, n.entity]
}, COLLECT {
  UNWIND $values AS id
  MATCH (n:Value {id: id})
  RETURN [n.id, n.tenant, n.predicate, n.text]
}, COLLECT {
  UNWIND $episodes AS id
  MATCH (n:Episode {id: id})
  RETURN [n.id, n.tenant, n.episode, n.source, n.source_key, n.landed_at, n.occurred_at,
    n.attested_at, n.trust, n.classification, n.media_type]
}] AS found
