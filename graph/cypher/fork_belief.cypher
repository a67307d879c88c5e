UNWIND $rows AS row
MATCH ()-[r:BELIEF {belief_id: row[0]}]->()
SET r.fork = row[1]
RETURN count(*) AS done
