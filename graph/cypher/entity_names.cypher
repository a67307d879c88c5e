UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN collect([n.id, n.tenant, n.entity]) AS found
