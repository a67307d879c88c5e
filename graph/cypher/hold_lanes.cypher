// The first SET locks a lane, what is read of it behind that is the newest.
UNWIND $lanes AS lane
MATCH (l:ProjectionLane {id: lane})
SET l.locked = true
RETURN count(CASE WHEN l.writer = $writer THEN 1 END) = size($lanes) AS held
