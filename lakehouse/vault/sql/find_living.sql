SELECT name, key_id, wrapped FROM subject_keys
WHERE tenant = ? AND wrapped IS NOT NULL AND name IN (SELECT value FROM json_each(?))
