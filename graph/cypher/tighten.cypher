UNWIND $rows AS row
//: include edge_named r
SET r.classification = row[1]
RETURN count(*) AS done
