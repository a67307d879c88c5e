// Exactly these properties; of the labels these too many (row[5]).
UNWIND $rows AS row
MERGE (n:Value {id: row[0]})
SET n = {id: row[0], tenant: row[1], predicate: row[2], kind: row[3], text: row[4]}
REMOVE n:$(row[5])
RETURN count(*) AS done
