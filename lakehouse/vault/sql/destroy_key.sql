UPDATE subject_keys SET wrapped = NULL, destroyed_at = ? WHERE tenant = ? AND key_id = ?
