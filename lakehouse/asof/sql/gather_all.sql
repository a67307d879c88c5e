-- As `gather_keys`, of every key at the one pair of instants set; the subject numbers the question.
-- A view: reading a column again is cheaper than keeping the texts of a whole ledger.
CREATE OR REPLACE TEMP VIEW near AS
SELECT s.subject AS number, getvariable('known_at') AS known_at, r.listener,
       s.predicate IN (FROM many) AS many, s.*
FROM said s JOIN rules r ON r.listener = getvariable('listener')
WHERE s.recorded_at <= getvariable('known_at') AND s.valid_from <= getvariable('valid_at')
  AND getvariable('valid_at') < s.valid_to AND
--: include {{1}} s
;
CREATE OR REPLACE TEMP TABLE moments AS
SELECT 1 AS line, getvariable('known_at') AS known_at, getvariable('listener') AS listener
