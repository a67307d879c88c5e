UNWIND $rows AS row
MATCH ()-[r:ATTRIBUTE {belief_id: row[0]}]->()
SET r.fork = row[1]
RETURN count(*) AS done
