-- As `beliefs_later`, of the boxes of support.
CREATE TEMP TABLE supporters_later AS
SELECT support_id, max(recorded_to) AS recorded_to, bool_or(kind = 'removed') AS removed
FROM stored_supporters JOIN heard USING (batch_id)
WHERE kind <> 'opened' GROUP BY support_id
