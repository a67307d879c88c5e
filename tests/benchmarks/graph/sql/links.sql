{steps}
SELECT DISTINCT q.number, {columns}
FROM (SELECT DISTINCT number, entity FROM reached) a JOIN questions q USING (number)
JOIN rectangles r ON r.subject = a.entity
WHERE r.object_kind = 'entity' AND {rule}
