UNWIND $ids AS id
MATCH (n:Value {id: id})
RETURN collect([n.id, n.tenant, n.predicate, n.text]) AS found
