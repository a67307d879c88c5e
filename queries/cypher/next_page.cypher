// Where the page that begins at $from ends: the id of the entity $page entities on, null behind the
// last one.
MATCH (s:Entity)
WHERE s.id >= $from AND s.id < $stop
WITH s ORDER BY s.id SKIP $page LIMIT 1
RETURN head(collect(s.id)) AS found
