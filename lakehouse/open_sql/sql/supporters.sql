-- The boxes of each further support, settled as `beliefs` is.
CREATE VIEW supporters AS
SELECT s.* EXCLUDE (ends) REPLACE (
         CASE WHEN ends > getvariable('known_at') THEN getvariable('forever') ELSE ends END
           AS recorded_to
       )
FROM (
  SELECT o.* EXCLUDE (batch_id, ordinal, kind, heard_before), coalesce(l.recorded_to, o.recorded_to) AS ends,
         o.recorded_from - o.heard_before AS heard_at, h.position
  FROM stored_supporters o JOIN heard h USING (batch_id)
  LEFT JOIN supporters_later l USING (support_id)
  WHERE o.kind = 'opened' AND o.recorded_from <= getvariable('known_at')
    AND l.removed IS DISTINCT FROM true
) s
