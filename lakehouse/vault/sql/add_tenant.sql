INSERT INTO tenant_keys (tenant, version, guard, kept, naming, made_at) VALUES (?, 1, ?, ?, ?, ?)
