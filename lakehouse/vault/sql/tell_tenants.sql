SELECT t.tenant, t.version, t.guard, t.made_at,
       count(s.wrapped), count(s.key_id) - count(s.wrapped)
FROM tenant_keys t LEFT JOIN subject_keys s ON s.tenant = t.tenant
GROUP BY t.tenant ORDER BY t.tenant
