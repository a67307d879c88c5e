{steps}
SELECT a.number, a.entity, min(a.step)
FROM reached a JOIN questions q USING (number)
WHERE a.entity <> q.entity GROUP BY ALL
