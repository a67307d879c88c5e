-- Headers of raw records. Instants are microseconds UTC; `position` is the commit's.
CREATE VIEW episodes AS
SELECT e.* EXCLUDE (batch_id, ordinal, landed_at, attested_at), h.position,
       epoch_us(e.landed_at) AS landed_at,
       coalesce(e.attested_at, h.recorded_at) AS recorded_at
FROM stored_episodes e JOIN heard h USING (batch_id)
WHERE coalesce(e.attested_at, h.recorded_at) <= getvariable('known_at')
