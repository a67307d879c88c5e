SELECT key_id FROM subject_keys
WHERE tenant = ? AND name = ? AND wrapped IS NULL ORDER BY destroyed_at
