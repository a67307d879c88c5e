UNWIND $rows AS row
//: include edge_named r
SET r.fork = row[1]
RETURN count(*) AS done
