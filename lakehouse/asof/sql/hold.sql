-- Keys of which one of the values was ever said, of one predicate or (null) of any: what may be
-- believed to hold it.
SELECT DISTINCT subject, predicate
FROM said
WHERE op = 'assert' AND list_contains(getvariable('values'), object)
  AND (getvariable('predicate') IS NULL OR predicate = getvariable('predicate'))
  AND (NOT getvariable('links') OR object_kind = 'entity')
ORDER BY subject, predicate
