INSERT INTO subject_keys (key_id, tenant, name, wrapped, made_at) VALUES (?, ?, ?, ?, ?)
