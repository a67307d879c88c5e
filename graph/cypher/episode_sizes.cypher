// A page, from $from on, of a tenant's episodes in the order of their ids, with the edges that leave each.
MATCH (n:Episode)
WHERE n.id >= $from AND n.id < $stop
WITH n ORDER BY n.id LIMIT $page
RETURN collect([n.id, COUNT { (n)-[:CONFIRMS]->() } + COUNT { (n)-[:MENTIONS]->() }]) AS found
