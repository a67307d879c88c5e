UPDATE tenant_keys SET version = version + 1, guard = ?, kept = ?, naming = ?, made_at = ?
WHERE tenant = ?
