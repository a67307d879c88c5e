UNWIND $ids AS id
MATCH ()-[r:BELIEF {belief_id: id}]->(o:Entity)
RETURN collect([id, o.entity]) AS found
