WITH after AS (
  SELECT q.number, r.key, r.belief_id, r.object
  FROM questions q JOIN rectangles r ON r.subject = q.entity WHERE {rule}
), before AS (
  SELECT q.number, r.key, r.belief_id, r.object
  FROM (SELECT * REPLACE (valid_then AS valid_at, known_then AS known_at) FROM questions) q
  JOIN rectangles r ON r.subject = q.entity WHERE {rule}
)
SELECT coalesce(a.number, b.number), b.belief_id, a.belief_id
FROM after a FULL JOIN before b ON a.number = b.number AND a.key = b.key
WHERE a.object IS DISTINCT FROM b.object
