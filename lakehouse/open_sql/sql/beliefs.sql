-- Rectangles as known: the change log settled. What closed one later reads as open, and its
-- strictest classification is today's. One holds at v by a listener where
-- valid_from <= v AND v < valid_to AND recorded_to > known_at AND listeners // bit % 2 = 1.
CREATE VIEW beliefs AS
SELECT s.* EXCLUDE (ends) REPLACE (
         CASE WHEN ends > getvariable('known_at') THEN getvariable('forever') ELSE ends END
           AS recorded_to,
         CASE WHEN ends <= getvariable('known_at') THEN closed_by END AS closed_by,
         CASE WHEN ends <= getvariable('known_at') THEN reason END AS reason
       )
FROM (
  SELECT o.* EXCLUDE (batch_id, ordinal, kind, tightened, heard_before) REPLACE (
           coalesce(o.opened_by, o.origin) AS opened_by,
           coalesce(l.closed_by, o.closed_by) AS closed_by,
           coalesce(l.reason, o.reason) AS reason,
           greatest(o.strictest, l.strictest) AS strictest
         ),
         coalesce(l.recorded_to, o.recorded_to) AS ends,
         o.recorded_from - o.heard_before AS heard_at, h.position
  FROM stored_beliefs o JOIN heard h USING (batch_id) LEFT JOIN beliefs_later l USING (belief_id)
  WHERE o.kind = 'opened' AND o.recorded_from <= getvariable('known_at')
    AND l.removed IS DISTINCT FROM true
) s
