-- A row for each believed value, its supporters in ledger order with what they carry. Erased ones
-- support nothing; the origin is the first that is left, else the first at all.
WITH
--: include hear
,
--: include paint
,
told AS (
  SELECT f.number, f.predicate, f.slot, n.* EXCLUDE (number, predicate, trust, classification),
         coalesce(t.trust, n.trust) AS trust,
         coalesce(t.classification, n.classification) AS classification,
--: include {{1}} n
         AS gone
  FROM run r JOIN floors f USING (lane)
  JOIN near n ON n.number = f.number AND n.place = r.place
  LEFT JOIN touched t ON (t.known_at, t.listener, t.place) = (n.known_at, n.listener, n.place)
)
SELECT number, predicate, slot,
       any_value(subject) AS subject, any_value(object) AS object,
       any_value(object_kind) AS object_kind, bool_and(gone) AS erased,
       min_by(said, (gone, place)) AS origin,
       coalesce(list(said ORDER BY place) FILTER (NOT gone), []) AS supporters
FROM (
  SELECT *, struct_pack(statement_id, episode_id, place, recorded_at, trust, classification) AS said
  FROM told
)
GROUP BY number, predicate, slot
ORDER BY number, predicate, slot
