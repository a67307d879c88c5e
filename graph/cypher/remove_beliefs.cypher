// row: belief_id. Whatever carries it, of both types.
UNWIND $rows AS row
OPTIONAL MATCH ()-[b:BELIEF {belief_id: row[0]}]->()
OPTIONAL MATCH ()-[a:ATTRIBUTE {belief_id: row[0]}]->()
DELETE b, a
RETURN count(*) AS done
