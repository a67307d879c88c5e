-- As `name`, of whole keys: all that is `drawn`, at every moment from its own recorded instant on,
-- whoever listens to it.
CREATE OR REPLACE TEMP TABLE named AS
SELECT DISTINCT m.line, d.place, unnest([d.statement_id, d.episode_id]) AS name
FROM drawn d
JOIN instants i ON i.line = d.line AND i.known_at >= d.recorded_at
JOIN moments m ON m.known_at = i.known_at
WHERE d.statement_id IN (FROM targets) OR d.episode_id IN (FROM targets)
