// Of an episode what stands there whatever was erased of it.
UNWIND $ids AS id
MATCH (n:Episode {id: id})
RETURN collect([n.id, n.tenant, n.episode, n.source, n.source_key, n.landed_at, n.occurred_at,
  n.attested_at, n.trust, n.classification, n.media_type]) AS found
