-- A grid of questions over whole keys (`lines`): each valid period on which nothing begins or ends,
-- at each recorded instant at which anything may change, for one of the listeners that hear alike.
-- Asked like any questions (`asked`), its cells are then put together to rectangles by `cut`.
CREATE OR REPLACE TEMP TABLE drawn AS
SELECT l.line, s.* FROM lines l JOIN said s USING (subject, predicate);

CREATE OR REPLACE TEMP TABLE reaching_lines AS
WITH RECURSIVE
names AS MATERIALIZED (
  SELECT line, place, unnest([statement_id, episode_id]) AS name FROM drawn
),
--: include reaching names
FROM reaching;

-- Listeners that hear alike whatever is carried here, or could be by a mark: one asks for all.
CREATE OR REPLACE TEMP TABLE classes AS
WITH kind AS (
  SELECT trust, classification, source, tags FROM drawn
  UNION
  SELECT u.trust, u.classification, u.source, u.tags
  FROM undoing u SEMI JOIN reaching_lines USING (place)
),
marked AS (
  SELECT mark_trust, mark_classification FROM undoing SEMI JOIN reaching_lines USING (place)
),
carried AS (
  SELECT DISTINCT t.trust, c.classification, k.source, k.tags
  FROM (SELECT DISTINCT source, tags FROM kind) k,
       (SELECT trust FROM kind UNION SELECT mark_trust FROM marked WHERE mark_trust IS NOT NULL) t,
       (SELECT classification FROM kind
        UNION SELECT mark_classification FROM marked WHERE mark_classification IS NOT NULL) c
),
heard AS (
  SELECT r.listener, list(
--: include trusts k
 AND
--: include listens k
           ORDER BY k.trust, k.classification, k.source, k.tags) AS alike
  FROM rules r, carried k GROUP BY r.listener
)
SELECT min(listener) AS listener, sum(listener)::BIGINT AS mask FROM heard GROUP BY alike;

CREATE OR REPLACE TEMP TABLE instants AS
SELECT line, recorded_at AS known_at,
       row_number() OVER (PARTITION BY line ORDER BY recorded_at) AS step,
       lead(recorded_at, 1, getvariable('forever')) OVER (PARTITION BY line ORDER BY recorded_at)
         AS known_to
FROM (
  SELECT line, recorded_at FROM drawn
  UNION
  SELECT r.line, u.recorded_at FROM reaching_lines r JOIN undoing u USING (place)
)
WHERE recorded_at <= getvariable('known_to');

CREATE OR REPLACE TEMP TABLE stretches AS
SELECT line, valid_at, row_number() OVER (PARTITION BY line ORDER BY valid_at) AS place,
       lead(valid_at, 1, getvariable('forever')) OVER (PARTITION BY line ORDER BY valid_at)
         AS valid_to
FROM (
  SELECT line, valid_from AS valid_at FROM drawn
  UNION
  SELECT line, valid_to FROM drawn WHERE valid_to < getvariable('forever')
);

CREATE OR REPLACE TEMP TABLE cells AS
SELECT row_number() OVER () AS number, l.line, l.subject, l.predicate, i.known_at, i.step,
       i.known_to, s.valid_at, s.place, s.valid_to, c.listener, c.mask
FROM lines l JOIN instants i USING (line) JOIN stretches s USING (line), classes c;

CREATE OR REPLACE TEMP TABLE asked AS
SELECT number, subject, predicate, valid_at, known_at, listener FROM cells
