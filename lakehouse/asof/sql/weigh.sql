-- The strictest classification of each rectangle: of its origin and of whatever supports a part of
-- it, from the instant on at which it does, up to now, whoever the mark is heard by.
CREATE OR REPLACE TEMP TABLE weighed AS
WITH
supporting AS (
  SELECT id, place, min(since) AS since
  FROM (
    SELECT id, origin AS place, recorded_from AS since FROM rectangles
    UNION ALL
    SELECT r.id, unnest(f.supporters).place, c.known_at
    FROM rectangles r
    JOIN cells c ON c.line = r.line AND c.known_at >= r.recorded_from
      AND c.known_at < r.recorded_to AND c.valid_at >= r.valid_from AND c.valid_at < r.valid_to
      AND c.mask & r.mask <> 0
    JOIN faces f ON f.number = c.number AND f.slot = r.slot
  )
  GROUP BY id, place
)
SELECT r.id, max(coalesce(t.classification, d.classification)) AS strictest
FROM rectangles r
JOIN supporting s USING (id)
JOIN drawn d ON d.line = r.line AND d.place = s.place
JOIN instants i ON i.line = r.line AND i.known_at >= s.since
CROSS JOIN classes c
LEFT JOIN touched t ON (t.known_at, t.listener, t.place) = (i.known_at, c.listener, s.place)
WHERE t.withdrawn IS DISTINCT FROM true
GROUP BY r.id
