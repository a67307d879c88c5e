// A page of a tenant's episodes in the order of their ids, with the edges that leave each.
MATCH (n:Episode)
WHERE n.id STARTS WITH $prefix AND n.id > $after
WITH n ORDER BY n.id LIMIT $page
RETURN collect([n.id, COUNT { (n)-[:CONFIRMS]->() } + COUNT { (n)-[:MENTIONS]->() }]) AS found
