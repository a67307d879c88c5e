-- What later rows of the change log say of each belief; read once, for every question asks for it.
CREATE TEMP TABLE beliefs_later AS
SELECT belief_id, max(recorded_to) AS recorded_to, max(closed_by) AS closed_by,
       max(reason) AS reason, max(strictest) AS strictest, bool_or(kind = 'removed') AS removed
FROM stored_beliefs JOIN heard USING (batch_id)
WHERE kind <> 'opened' GROUP BY belief_id
