WITH RECURSIVE reached AS (
  SELECT number, entity, 0 AS step FROM questions
  UNION
  SELECT a.number, r.object, a.step + 1
  FROM reached a JOIN questions q USING (number) JOIN rectangles r ON r.subject = a.entity
  WHERE a.step < q.hops AND r.object_kind = 'entity' AND {rule}
)
