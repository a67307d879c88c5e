-- From `heard` (all of it covers its question's valid instant) to `run`: on each lane, a key of one
-- question, the statements that support what is on top, the last painter among them.
-- A predicate with many values has a lane for each object said; what names none is on every one.
slotted AS (
  SELECT number, predicate, CASE WHEN many THEN object ELSE '' END AS slot,
         place, valid_from, until_changed, op, object, object_kind
  FROM heard WHERE NOT many OR object IS NOT NULL
  UNION ALL
  SELECT h.number, h.predicate, o.object, h.place, h.valid_from, h.until_changed, h.op, h.object,
         h.object_kind
  FROM heard h
  JOIN (SELECT DISTINCT number, predicate, object FROM heard WHERE many AND object IS NOT NULL) o
  USING (number, predicate)
  WHERE h.many AND h.object IS NULL
),
-- An explicit period paints whatever lies beneath: the last one is the floor of its lane.
floors AS MATERIALIZED (
  SELECT number, predicate, slot, row_number() OVER () AS lane,
         max(place) FILTER (NOT until_changed) AS floor,
         arg_max(valid_from, place) FILTER (NOT until_changed) AS floor_from
  FROM slotted GROUP BY number, predicate, slot
),
laid AS MATERIALIZED (
  SELECT f.lane, s.place, s.valid_from, s.until_changed, s.op, s.object, s.object_kind,
         f.floor IS NULL OR (s.place >= f.floor AND s.valid_from >= f.floor_from) AS above
  FROM slotted s JOIN floors f USING (number, predicate, slot)
),
-- On top is the floor, or what is until changed, said after it and begins no earlier than it: the
-- one that begins last, the later said of two that begin together.
tops AS MATERIALIZED (
  SELECT l.lane, l.op, l.object, l.object_kind
  FROM laid l
  SEMI JOIN (
    SELECT lane, arg_max(place, (valid_from, place)) AS place FROM laid WHERE above GROUP BY lane
  ) t USING (lane, place)
),
-- Its support is the unbroken run of last painters that say the same.
compared AS MATERIALIZED (
  SELECT l.lane, l.place, l.valid_from, l.until_changed,
         l.op <> 'assert' OR l.object <> t.object OR l.object_kind <> t.object_kind AS differs
  FROM laid l JOIN tops t USING (lane)
  WHERE t.op = 'assert'
),
-- Where only the top says so, it is the run. Elsewhere the run lies beyond the last explicit period
-- that says otherwise, which always paints.
lanes AS MATERIALIZED (
  SELECT lane, count(*) FILTER (NOT differs) > 1 AS several,
         max(place) FILTER (differs AND NOT until_changed) AS beyond
  FROM compared GROUP BY lane
),
staged AS (
  SELECT c.lane, c.place, c.valid_from, c.differs,
         count(*) FILTER (NOT c.until_changed) OVER (
           PARTITION BY c.lane ORDER BY c.place ROWS UNBOUNDED PRECEDING) AS stage
  FROM compared c JOIN lanes l USING (lane)
  WHERE l.several AND (l.beyond IS NULL OR c.place >= l.beyond)
),
-- What is until changed was a last painter unless something before it, back to the nearest explicit
-- period, began later.
painted AS MATERIALIZED (
  SELECT lane, place, differs FROM staged
  QUALIFY valid_from = max(valid_from) OVER (
    PARTITION BY lane, stage ORDER BY place ROWS UNBOUNDED PRECEDING)
),
run AS (
  SELECT c.lane, c.place FROM compared c JOIN lanes l USING (lane)
  WHERE NOT c.differs AND NOT l.several
  UNION ALL
  SELECT p.lane, p.place
  FROM painted p
  LEFT JOIN (SELECT lane, max(place) AS place FROM painted WHERE differs GROUP BY lane) d
  USING (lane)
  WHERE d.place IS NULL OR p.place > d.place
)
