-- From the cells' `faces` to rectangles: stretches of the valid axis on which origin, what it
-- carries and who holds it stay the same, over the recorded instants through which they do.
CREATE OR REPLACE TEMP TABLE rectangles AS
WITH
held AS (
  SELECT c.line, f.slot, c.step, c.known_at, c.known_to, c.place, c.valid_at, c.valid_to,
         f.origin.place AS origin, f.erased, f.origin.trust AS trust,
         f.origin.classification AS classification, sum(c.mask)::BIGINT AS mask
  FROM faces f JOIN cells c USING (number)
  GROUP BY ALL
),
stretched AS (
  SELECT *, place - row_number() OVER (
    PARTITION BY line, slot, step, origin, erased, trust, classification, mask ORDER BY place
  ) AS island
  FROM held
),
shapes AS (
  SELECT line, slot, step, known_at, known_to, origin, erased, trust, classification, mask, island,
         min(valid_at) AS valid_from, max(valid_to) AS valid_to
  FROM stretched
  GROUP BY ALL
),
lived AS (
  SELECT * EXCLUDE (island), step - row_number() OVER (
    PARTITION BY line, slot, origin, erased, trust, classification, mask, valid_from, valid_to
    ORDER BY step
  ) AS island
  FROM shapes
)
SELECT row_number() OVER () AS id, *
FROM (
  SELECT line, slot, origin, erased, trust, classification, mask, valid_from, valid_to, island,
         min(known_at) AS recorded_from, max(known_to) AS recorded_to
  FROM lived
  GROUP BY ALL
)
