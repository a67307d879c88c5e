// Every node and edge of ours once, with all of an edge's properties.
MATCH (s:Entity)-[r:BELIEF|ATTRIBUTE]->(o)
RETURN sum(size(keys(r)) + size(s.entity) + size(coalesce(o.text, o.entity))) AS read
