-- The raw records of the episodes that show.
CREATE VIEW payloads AS
SELECT p.tenant, p.episode_id, p.cipher, p.body
FROM stored_payloads p JOIN heard USING (batch_id)
WHERE p.episode_id IN (SELECT episode_id FROM episodes)
