-- Committed statements that paint, in ledger order (`place`). What `heard` names is committed and
-- no more; it also gives the recorded instant where a row does not attest its own. Both open ends
-- of a valid period are one instant here, `stated_to` keeps which one was meant.
CREATE OR REPLACE TEMP VIEW said AS
SELECT h.first_seq + s.ordinal AS place,
       s.statement_id, s.op, coalesce(s.recorded_at, h.recorded_at) AS recorded_at, s.episode_id,
       s.subject, s.predicate, s.object, s.object_kind, s.valid_from,
       CASE WHEN s.op = 'end' OR s.valid_to >= getvariable('until_changed')
            THEN getvariable('forever') ELSE s.valid_to END AS valid_to,
       s.op = 'end' OR (s.op = 'assert' AND s.valid_to = getvariable('until_changed'))
         AS until_changed,
       s.valid_to AS stated_to, s.valid_from_basis,
       s.trust, s.classification, s.source, s.tags, s.erased
FROM stored s JOIN heard h USING (batch_id)
WHERE s.tenant = getvariable('tenant') AND s.op IN ('assert', 'end', 'retract')
