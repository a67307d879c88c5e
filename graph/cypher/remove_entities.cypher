// row: id. With whatever edges are left on it.
UNWIND $rows AS row
MATCH (n:Entity {id: row[0]})
DETACH DELETE n
RETURN count(*) AS done
