-- Refused input with its reason.
CREATE VIEW quarantine AS
SELECT q.* EXCLUDE (batch_id, ordinal), h.position, h.recorded_at
FROM stored_quarantine q JOIN heard h USING (batch_id)
WHERE h.recorded_at <= getvariable('known_at')
