SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.subject = q.entity
WHERE (q.predicate IS NULL OR r.predicate = q.predicate) AND {rule}
