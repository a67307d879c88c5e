-- Committed statements that undo others (`withdraw`, `mark`) and those that erase, kept as a table:
-- they are few, and every question asks for them. `targets` is what is withdrawn or marked.
CREATE OR REPLACE TEMP TABLE undoing AS
SELECT h.first_seq + s.ordinal AS place,
       s.statement_id, s.op, coalesce(s.recorded_at, h.recorded_at) AS recorded_at, s.episode_id,
       s.target, s.mark_trust, s.mark_classification,
       s.trust, s.classification, s.source, s.tags
FROM stored_undoing s JOIN heard h USING (batch_id)
WHERE s.tenant = getvariable('tenant') AND s.op IN ('withdraw', 'mark', 'erase')
ORDER BY place;

CREATE OR REPLACE TEMP TABLE targets AS
SELECT DISTINCT target FROM undoing WHERE op <> 'erase' AND target IS NOT NULL
