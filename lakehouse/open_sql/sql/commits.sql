-- The batches that count, in their one line.
CREATE VIEW commits AS
SELECT c.* REPLACE (epoch_us(c.recorded_at) AS recorded_at)
FROM stored_commits c JOIN heard USING (batch_id)
WHERE epoch_us(c.recorded_at) <= getvariable('known_at')
