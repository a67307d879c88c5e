-- What may be on top for each of many questions about a key: said by then, covering the instant,
-- and of a source that the listener listens to. What the question tells is not kept once more for
-- each statement: one key may have a whole ledger's.
CREATE OR REPLACE TEMP TABLE gathered AS
SELECT a.number, s.place, s.statement_id, s.op, s.recorded_at, s.episode_id, s.object,
       s.object_kind, s.valid_from, s.until_changed, s.trust, s.classification, s.erased
FROM asked a JOIN said s USING (subject, predicate) JOIN rules r USING (listener)
WHERE s.recorded_at <= a.known_at AND s.valid_from <= a.valid_at AND a.valid_at < s.valid_to AND
--: include {{1}} s
;
CREATE OR REPLACE TEMP VIEW near AS
SELECT g.*, a.known_at, a.listener, a.subject, a.predicate, a.predicate IN (FROM many) AS many
FROM gathered g JOIN asked a USING (number);
CREATE OR REPLACE TEMP TABLE moments AS
SELECT row_number() OVER () AS line, known_at, listener
FROM (SELECT DISTINCT known_at, listener FROM asked)
