-- As `gather_keys`, of every predicate of the subjects asked.
CREATE OR REPLACE TEMP TABLE gathered AS
SELECT a.number, s.predicate, s.place, s.statement_id, s.op, s.recorded_at, s.episode_id, s.object,
       s.object_kind, s.valid_from, s.until_changed, s.trust, s.classification, s.erased
FROM asked a JOIN said s USING (subject) JOIN rules r USING (listener)
WHERE s.recorded_at <= a.known_at AND s.valid_from <= a.valid_at AND a.valid_at < s.valid_to AND
--: include {{1}} s
;
CREATE OR REPLACE TEMP VIEW near AS
SELECT g.*, a.known_at, a.listener, a.subject, g.predicate IN (FROM many) AS many
FROM gathered g JOIN asked a USING (number);
CREATE OR REPLACE TEMP TABLE moments AS
SELECT row_number() OVER () AS line, known_at, listener
FROM (SELECT DISTINCT known_at, listener FROM asked)
