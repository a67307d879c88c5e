// row: episode, support_id (null: those whose id is no text).
UNWIND $rows AS row
OPTIONAL MATCH (:Episode {id: row[0]})-[r:CONFIRMS]->()
WHERE r.support_id = row[1] OR (row[1] IS NULL AND NOT r.support_id IS :: STRING NOT NULL)
DELETE r
RETURN count(DISTINCT row) AS done
