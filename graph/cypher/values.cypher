UNWIND $rows AS row
MERGE (n:Value {id: row[0]})
ON CREATE SET n.tenant = row[1], n.predicate = row[2], n.kind = row[3], n.text = row[4]
RETURN count(*) AS done
