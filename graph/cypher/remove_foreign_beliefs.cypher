// row: subject, belief_id (null: those whose id is no text). Only edges that leave that subject:
// another tenant's edge may carry the same id.
UNWIND $rows AS row
OPTIONAL MATCH (:Entity {id: row[0]})-[r:BELIEF|ATTRIBUTE]->()
WHERE r.belief_id = row[1] OR (row[1] IS NULL AND NOT r.belief_id IS :: STRING NOT NULL)
DELETE r
RETURN count(DISTINCT row) AS done
