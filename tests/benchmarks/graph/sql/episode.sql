SELECT q.number, {columns}
FROM questions q JOIN rectangles r ON r.episode_id = q.entity
WHERE r.recorded_from <= q.known_at
AND r.listeners // q.listener % 2 = 1 AND r.strictest <= q.clearance
