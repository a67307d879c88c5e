// row: subject, belief_id (null: those without one). Only edges that leave that subject: another
// tenant's edge may carry the same id.
UNWIND $rows AS row
OPTIONAL MATCH (:Entity {id: row[0]})-[r:BELIEF|ATTRIBUTE]->()
WHERE r.belief_id = row[1] OR (r.belief_id IS NULL AND row[1] IS NULL)
DELETE r
RETURN count(DISTINCT row) AS done
