-- As `gather_keys`, of every predicate of the subjects asked.
CREATE OR REPLACE TEMP TABLE gathered AS
SELECT a.number, a.known_at, a.listener, s.predicate IN (FROM many) AS many,
       s.* EXCLUDE (valid_to, stated_to, valid_from_basis, source, tags)
FROM asked a JOIN said s USING (subject) JOIN rules r USING (listener)
WHERE s.recorded_at <= a.known_at AND s.valid_from <= a.valid_at AND a.valid_at < s.valid_to AND
--: include listens s
;
CREATE OR REPLACE TEMP VIEW near AS FROM gathered;
CREATE OR REPLACE TEMP TABLE moments AS SELECT DISTINCT known_at, listener FROM asked
