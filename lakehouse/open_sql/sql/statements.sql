-- What episodes say, in the order of (recorded_at, seq).
CREATE VIEW statements AS
SELECT s.* EXCLUDE (batch_id, ordinal, recorded_at), h.position,
       coalesce(s.recorded_at, h.recorded_at) AS recorded_at, h.first_seq + s.ordinal AS seq
FROM stored_statements s JOIN heard h USING (batch_id)
WHERE coalesce(s.recorded_at, h.recorded_at) <= getvariable('known_at')
