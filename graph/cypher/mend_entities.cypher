// row: id, tenant, entity, type, labels, labels too many. Exactly these properties.
UNWIND $rows AS row
MERGE (n:Entity {id: row[0]})
SET n = {id: row[0], tenant: row[1], entity: row[2], type: row[3]}
REMOVE n:$(row[5])
SET n:$(row[4])
RETURN count(*) AS done
