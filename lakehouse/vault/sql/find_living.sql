SELECT key_id, wrapped FROM subject_keys WHERE tenant = ? AND name = ? AND wrapped IS NOT NULL
