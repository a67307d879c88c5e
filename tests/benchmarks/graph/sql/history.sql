SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.subject = q.entity
WHERE r.predicate = q.predicate AND r.recorded_from <= q.known_at
AND r.listeners // q.listener % 2 = 1 AND r.strictest <= q.clearance
