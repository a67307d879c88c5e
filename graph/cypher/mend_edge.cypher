// The columns that may change after an edge was written; the same twice changes nothing.
UNWIND $rows AS row
//: include edge_named r
SET r.recorded_to = row[1], r.closed_by = row[2], r.reason = row[3], r.classification = row[4],
    r.closed_at = row[5], r.fork = row[6]
RETURN count(*) AS done
