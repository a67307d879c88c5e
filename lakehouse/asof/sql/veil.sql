-- Keys asked of which something may carry more than the clearance: it was said so, or marked so.
WITH marked AS (
  SELECT DISTINCT target FROM undoing WHERE mark_classification > getvariable('clearance')
)
SELECT DISTINCT s.subject, s.predicate
FROM said s SEMI JOIN asked a USING (subject, predicate)
WHERE s.classification > getvariable('clearance')
   OR s.statement_id IN (FROM marked) OR s.episode_id IN (FROM marked)
ORDER BY s.subject, s.predicate
