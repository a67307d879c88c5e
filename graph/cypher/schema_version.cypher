// Constraints and indexes are only ever added, so an older database becomes one of this version;
// each tenant's projection has its own (Projection.schema_version).
MERGE (n:GraphSchema {name: 'beliefgraph'})
SET n.version = CASE WHEN n.version > $version THEN n.version ELSE $version END
RETURN n.version AS version
