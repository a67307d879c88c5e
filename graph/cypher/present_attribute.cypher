// Which of these are in the graph already: asked only when an unfinished batch is resumed.
UNWIND $ids AS id
MATCH ()-[r:ATTRIBUTE {belief_id: id}]->()
RETURN collect(id) AS present
