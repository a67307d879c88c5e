// Where pages of so many entities of a tenant begin.
MATCH (n:Entity)
WHERE n.id STARTS WITH $prefix
WITH n.id AS id ORDER BY id
WITH collect(id) AS ids
RETURN [at IN range(0, size(ids) - 1, $page) | ids[at]] AS found
