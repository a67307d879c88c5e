-- By which statement each rectangle was opened: of those that took hold at its first instant and
-- reach it (or else touch it), the last. A statement takes hold when it is recorded, and again when
-- what it carries changes; then what undid it is credited, back to what was recorded just then.
CREATE OR REPLACE TEMP TABLE credited AS
WITH RECURSIVE
stood AS (
  SELECT 'undoing' AS line, s.listener, s.place, s.known_at,
         CASE WHEN NOT s.withdrawn THEN (s.trust, s.classification) END AS carried
  FROM settled s
  UNION ALL
  SELECT d.line::VARCHAR, c.listener, d.place, i.known_at,
         CASE WHEN t.withdrawn IS DISTINCT FROM true
              THEN (coalesce(t.trust, d.trust), coalesce(t.classification, d.classification)) END
  FROM drawn d JOIN instants i ON i.line = d.line AND i.known_at >= d.recorded_at
  CROSS JOIN classes c
  LEFT JOIN touched t ON (t.known_at, t.listener, t.place) = (i.known_at, c.listener, d.place)
),
moved AS MATERIALIZED (
  SELECT DISTINCT line, place, known_at
  FROM (
    SELECT line, place, known_at,
           carried IS DISTINCT FROM lag(carried) OVER whole
             AND row_number() OVER whole > 1 AS moves
    FROM stood
    WINDOW whole AS (PARTITION BY line, listener, place ORDER BY known_at)
  )
  WHERE moves
),
aims AS (
  SELECT n.place, u.place AS undoer
  FROM (
    SELECT place, unnest([statement_id, episode_id]) AS target FROM drawn
    UNION
    SELECT place, unnest([statement_id, episode_id]) FROM undoing SEMI JOIN reaching_lines
    USING (place)
  ) n
  JOIN undoing u USING (target)
  WHERE u.op <> 'erase' AND u.place > n.place
),
hold AS (
  SELECT place, known_at FROM moved WHERE line = 'undoing'
  UNION
  SELECT place, recorded_at FROM undoing SEMI JOIN reaching_lines USING (place)
),
link AS MATERIALIZED (
  SELECT a.place, h.known_at, max(a.undoer) AS undoer
  FROM aims a JOIN hold h ON h.place = a.undoer
  GROUP BY a.place, h.known_at
),
cause(place, known_at, undoer) AS (
  SELECT m.place, m.known_at, l.undoer
  FROM moved m JOIN link l USING (place, known_at)
  WHERE m.line <> 'undoing'
  UNION
  SELECT c.place, c.known_at, l.undoer
  FROM cause c
  JOIN undoing u ON u.place = c.undoer AND u.recorded_at < c.known_at
  JOIN link l ON l.place = c.undoer AND l.known_at = c.known_at
),
took AS (
  SELECT line, place, recorded_at AS known_at, place AS undoer FROM drawn
  UNION ALL
  SELECT m.line::BIGINT, c.place, c.known_at, c.undoer
  FROM cause c JOIN undoing u ON u.place = c.undoer AND u.recorded_at = c.known_at
  JOIN moved m ON m.place = c.place AND m.known_at = c.known_at AND m.line <> 'undoing'
)
SELECT id, coalesce(max(undoer) FILTER (reaches), max(undoer)) AS undoer
FROM (
  SELECT r.id, t.undoer, d.valid_from < r.valid_to AND r.valid_from < d.valid_to AS reaches
  FROM rectangles r
  JOIN took t ON t.line = r.line AND t.known_at = r.recorded_from
  JOIN drawn d ON d.line = t.line AND d.place = t.place
  WHERE (NOT d.predicate IN (FROM many) OR d.object IS NULL OR d.object = r.slot)
    AND d.valid_from <= r.valid_to AND r.valid_from <= d.valid_to
)
GROUP BY id
