SELECT version, guard, kept, naming FROM tenant_keys WHERE tenant = ?
