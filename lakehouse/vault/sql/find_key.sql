SELECT wrapped FROM subject_keys WHERE tenant = ? AND key_id = ?
