SELECT key_id, wrapped FROM subject_keys
WHERE tenant = ? AND key_id IN (SELECT value FROM json_each(?))
