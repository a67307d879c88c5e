UPDATE subject_keys SET wrapped = rewrapped(key_id, wrapped)
WHERE tenant = ? AND wrapped IS NOT NULL
