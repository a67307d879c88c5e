// The value nodes of a tenant, a page in the order of their ids (which do not name the tenant).
MATCH (n:Value)
WHERE n.id > $after AND n.tenant = $tenant
WITH n ORDER BY n.id LIMIT $page
RETURN collect([n.id, n.tenant, n.predicate, n.kind, n.text, size(keys(n))]) AS found
