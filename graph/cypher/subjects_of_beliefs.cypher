// The nodes that the edges with these ids leave, null where there is none.
UNWIND $ids AS id
OPTIONAL MATCH (a:Entity)-[:BELIEF {belief_id: id}]->()
OPTIONAL MATCH (b:Entity)-[:ATTRIBUTE {belief_id: id}]->()
RETURN collect(coalesce(a.id, b.id)) AS found
