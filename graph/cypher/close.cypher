UNWIND $rows AS row
//: include edge_named r
SET r.recorded_to = row[1], r.closed_by = row[2], r.reason = row[3], r.closed_at = row[1]
RETURN count(*) AS done
