// The first SET locks the lane, what is read behind it is the newest.
MATCH (l:ProjectionLane {id: $lane})
SET l.locked = true
RETURN l.writer = $writer AS held
