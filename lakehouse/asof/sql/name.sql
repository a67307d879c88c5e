-- Of what is near, the names (its own, its episode's) of that which anything undoes; the line is
-- that of the moment asked about.
CREATE OR REPLACE TEMP TABLE named AS
SELECT DISTINCT m.line, n.place, unnest([n.statement_id, n.episode_id]) AS name
FROM near n JOIN moments m USING (known_at, listener)
WHERE n.statement_id IN (FROM targets) OR n.episode_id IN (FROM targets)
