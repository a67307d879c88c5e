// row: support_id.
UNWIND $rows AS row
OPTIONAL MATCH ()-[r:CONFIRMS {support_id: row[0]}]->()
DELETE r
RETURN count(*) AS done
