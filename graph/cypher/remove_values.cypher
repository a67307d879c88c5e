// row: id. With whatever edges are left on it; mended before, it may be of this label no more.
UNWIND $rows AS row
OPTIONAL MATCH (n:Value {id: row[0]})
DETACH DELETE n
RETURN count(DISTINCT row) AS done
