r.valid_from <= q.valid_at AND q.valid_at < r.valid_to
AND r.recorded_from <= q.known_at AND q.known_at < r.recorded_to
AND r.listeners // q.listener % 2 = 1 AND r.strictest <= q.clearance
