// row: episode, support_id (null: those without one).
UNWIND $rows AS row
OPTIONAL MATCH (:Episode {id: row[0]})-[r:CONFIRMS]->()
WHERE r.support_id = row[1] OR (r.support_id IS NULL AND row[1] IS NULL)
DELETE r
RETURN count(DISTINCT row) AS done
