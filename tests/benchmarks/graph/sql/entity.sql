SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.subject = q.entity
WHERE {rule}
UNION ALL
SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.object = q.entity
WHERE r.object_kind = 'entity' AND r.subject <> q.entity AND {rule}
