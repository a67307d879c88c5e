// row: id, tenant, entity, type, labels. The first type that is known stays.
UNWIND $rows AS row
MERGE (n:Entity {id: row[0]})
ON CREATE SET n.tenant = row[1], n.entity = row[2], n.type = row[3], n:$(row[4])
ON MATCH SET n += CASE WHEN n.type = '' THEN {type: row[3]} ELSE {} END,
             n:$(CASE WHEN n.type = row[3] THEN row[4] ELSE [] END)
RETURN count(*) AS done
