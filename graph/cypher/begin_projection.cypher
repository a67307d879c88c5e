// From here until advance_projection a batch is open: what it wrote is above the watermark. The
// first SET locks the node, what is read behind it is the newest; setting the lanes waits until
// the transactions of an earlier writer have ended. What is no number and must be one begins anew.
MERGE (p:Projection {tenant: $tenant})
ON CREATE SET p.position = 0, p.epoch = 0, p.generation = 1, p.schema_version = $schema_version
SET p.updated_at = $now
SET p.position = CASE WHEN p.position IS :: INTEGER NOT NULL THEN p.position ELSE 0 END,
    p.epoch = CASE WHEN p.epoch IS :: INTEGER NOT NULL THEN p.epoch ELSE 0 END,
    p.generation = CASE WHEN p.generation IS :: INTEGER NOT NULL THEN p.generation ELSE 1 END,
    p.projecting = CASE WHEN p.projecting IS :: INTEGER THEN p.projecting END
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
