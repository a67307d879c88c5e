// From here until advance_projection a batch is open: what it wrote is above the watermark. The
// first SET locks the node, what is read behind it is the newest; setting the lanes waits until
// the transactions of an earlier writer have ended.
MERGE (p:Projection {tenant: $tenant})
ON CREATE SET p.position = 0, p.epoch = 0, p.generation = 1, p.schema_version = $schema_version
SET p.updated_at = $now
WITH p, p.projecting AS unfinished,
     $from IS NULL OR (p.position = $from AND coalesce(p.projecting, 0) >= 0) AS mine
SET p.projecting = CASE WHEN mine THEN $to ELSE p.projecting END,
    p.writer = CASE WHEN mine THEN $writer ELSE p.writer END
WITH p, unfinished
UNWIND $lanes AS lane
MERGE (l:ProjectionLane {id: lane})
SET l.writer = p.writer
WITH p, unfinished, count(l) AS lanes
RETURN p {.*, unfinished: unfinished} AS projection
