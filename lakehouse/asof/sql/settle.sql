-- From `named` (what is undone of that which is near at each of the `moments`) to `settled`, how what
-- undoes it stands at that moment, and `touched`, what that does to what is near: withdrawn or not,
-- and what marks say it carries. It is settled from the end of the ledger
-- backwards: each round settles what is reached only by what is settled.
CREATE OR REPLACE TEMP TABLE settled AS
WITH RECURSIVE
--: include reaching named
,
-- Kept before the moments are joined: else all that undoes meets every moment first.
reached AS MATERIALIZED (SELECT r.line, u.* FROM reaching r JOIN undoing u USING (place)),
undoer AS MATERIALIZED (
  SELECT m.known_at, m.listener, u.* EXCLUDE (line)
  FROM reached u JOIN moments m USING (line)
  WHERE u.recorded_at <= m.known_at
),
aimed AS MATERIALIZED (
  SELECT DISTINCT known_at, listener, u.place, later.place AS reached_by
  FROM (
    SELECT known_at, listener, place, unnest([statement_id, episode_id]) AS target FROM undoer
  ) u
  JOIN undoer later USING (known_at, listener, target)
  WHERE later.place > u.place
),
settling(known_at, listener, place, withdrawn, trust, classification, works)
USING KEY (known_at, listener, place) AS (
  SELECT u.known_at, u.listener, u.place, false, u.trust, u.classification,
         u.op = 'mark' OR
--: include trusts u
 AND
--: include listens u
  FROM undoer u JOIN rules r USING (listener)
  ANTI JOIN aimed a USING (known_at, listener, place)
  UNION
  SELECT u.known_at, u.listener, u.place, c.withdrawn, c.trust, c.classification,
         NOT c.withdrawn AND (u.op = 'mark' OR
--: include trusts c
 AND
--: include listens u
         )
  FROM (
    SELECT u.known_at, u.listener, u.place,
           coalesce(bool_or(later.op = 'withdraw') FILTER (s.works), false) AS withdrawn,
           coalesce(arg_max(later.mark_trust, later.place) FILTER (
             s.works AND later.mark_trust IS NOT NULL), any_value(u.trust)) AS trust,
           coalesce(arg_max(later.mark_classification, later.place) FILTER (
             s.works AND later.mark_classification IS NOT NULL), any_value(u.classification)
           ) AS classification
    FROM undoer u
    JOIN aimed a USING (known_at, listener, place)
    JOIN undoing later ON later.place = a.reached_by
    LEFT JOIN recurring.settling s
      ON (s.known_at, s.listener, s.place) = (u.known_at, u.listener, a.reached_by)
    WHERE NOT EXISTS (
      FROM recurring.settling done
      WHERE (done.known_at, done.listener, done.place) = (u.known_at, u.listener, u.place)
    )
    GROUP BY u.known_at, u.listener, u.place
    HAVING count(s.place) = count(*)
  ) c
  JOIN undoer u USING (known_at, listener, place)
  JOIN rules r USING (listener)
)
FROM settling;

CREATE OR REPLACE TEMP TABLE touched AS
SELECT s.known_at, s.listener, n.place,
       bool_or(u.op = 'withdraw') AS withdrawn,
       arg_max(u.mark_trust, u.place) FILTER (u.mark_trust IS NOT NULL) AS trust,
       arg_max(u.mark_classification, u.place) FILTER (u.mark_classification IS NOT NULL)
         AS classification
FROM named n JOIN moments m USING (line)
JOIN undoing u ON u.target = n.name AND u.place > n.place
JOIN settled s
  ON (s.known_at, s.listener, s.place) = (m.known_at, m.listener, u.place) AND s.works
GROUP BY s.known_at, s.listener, n.place
