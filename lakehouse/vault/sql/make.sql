BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS tenant_keys (
    tenant TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    guard TEXT NOT NULL,
    kept BLOB NOT NULL,
    naming BLOB NOT NULL,
    made_at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS subject_keys (
    key_id TEXT PRIMARY KEY,
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    wrapped BLOB,
    made_at INTEGER NOT NULL,
    destroyed_at INTEGER
);
CREATE UNIQUE INDEX IF NOT EXISTS one_living_key_a_subject
    ON subject_keys (tenant, name) WHERE wrapped IS NOT NULL;
COMMIT;
