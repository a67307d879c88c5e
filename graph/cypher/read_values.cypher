// The value nodes of a tenant, a page in the order of their ids (which do not name the tenant). An
// entity or episode that was labelled so is read as what it is.
MATCH (n:Value)
WHERE n.id > $after AND n.tenant = $tenant
  AND NOT (n:Entity|Episode AND n.id STARTS WITH $prefix)
WITH n ORDER BY n.id LIMIT $page
RETURN collect([n.id, n.tenant, n.predicate, n.kind, n.text,
  [label IN labels(n) WHERE label <> 'Value'], size(keys(n))]) AS found
