// row: episode, entity (null: whatever is no entity or has no id).
UNWIND $rows AS row
OPTIONAL MATCH (:Episode {id: row[0]})-[r:MENTIONS]->(s)
WHERE (s:Entity AND s.id = row[1]) OR (row[1] IS NULL AND (s.id IS NULL OR NOT s:Entity))
DELETE r
RETURN count(DISTINCT row) AS done
