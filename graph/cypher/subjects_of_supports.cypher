// The nodes that the confirmations with these ids are about.
UNWIND $ids AS id
MATCH ()-[:CONFIRMS {support_id: id}]->(s:Entity)
RETURN collect(s.id) AS found
