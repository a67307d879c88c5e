SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.episode_id = q.entity
WHERE r.recorded_from <= q.known_at
AND r.listeners // q.listener % 2 = 1 AND r.strictest <= q.clearance
UNION
SELECT q.number, {columns}
FROM questions q JOIN supporters c ON c.episode_id = q.entity JOIN rectangles r USING (belief_id)
WHERE c.recorded_from <= q.known_at AND r.recorded_from <= q.known_at
AND c.listeners // q.listener % 2 = 1 AND c.classification <= q.clearance
AND r.listeners // q.listener % 2 = 1 AND r.strictest <= q.clearance
