// A page, from $from on, of a tenant's entities in the order of their ids, with the edges that leave each.
MATCH (n:Entity)
WHERE n.id >= $from AND n.id < $stop
WITH n ORDER BY n.id LIMIT $page
RETURN collect([n.id, COUNT { (n)-[:BELIEF]->() } + COUNT { (n)-[:ATTRIBUTE]->() }]) AS found
