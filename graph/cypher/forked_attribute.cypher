// Of these edges, which have been closed, those that have a fork: it moves.
UNWIND $ids AS id
MATCH ()-[r:ATTRIBUTE {belief_id: id}]->()
WHERE r.fork IS NOT NULL
RETURN collect([id, r.recorded_from, r.recorded_to]) AS found
