UNWIND $rows AS row
MATCH ()-[r:CONFIRMS {support_id: row[0]}]->()
SET r.recorded_to = row[1]
RETURN count(*) AS done
