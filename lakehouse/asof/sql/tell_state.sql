-- As `tell_tops` for a whole state: ids alone, in no stated order.
WITH
--: include hear
,
--: include paint
,
told AS (
  SELECT r.lane, r.place, n.statement_id, n.subject, n.predicate, n.object, n.object_kind,
--: include {{1}} n
         AS gone
  FROM run r JOIN near n USING (place)
)
SELECT any_value(subject) AS subject, any_value(predicate) AS predicate,
       any_value(object) AS object, any_value(object_kind) AS object_kind,
       bool_and(gone) AS erased, min_by(statement_id, (gone, place)) AS origin,
       coalesce(list(statement_id) FILTER (NOT gone), []) AS supporters
FROM told GROUP BY lane
