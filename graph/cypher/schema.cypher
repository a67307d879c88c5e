// Constraints and indexes (DESIGN section 7). No index on a column that changes: one that holds
// recorded_to or classification makes readers miss edges while a projector runs. closed_at is set
// once, above the watermark, and holds no open edge: nothing that a reader looks for moves in it.
// fork moves when an edge is closed: what seeks it looks before and after for an open batch.
CREATE CONSTRAINT entity_id IF NOT EXISTS FOR (n:Entity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT value_id IF NOT EXISTS FOR (n:Value) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT episode_id IF NOT EXISTS FOR (n:Episode) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT projection_tenant IF NOT EXISTS FOR (n:Projection) REQUIRE n.tenant IS UNIQUE;
CREATE CONSTRAINT proof_tenant IF NOT EXISTS FOR (n:ProjectionProof) REQUIRE n.tenant IS UNIQUE;
CREATE CONSTRAINT lane_id IF NOT EXISTS FOR (n:ProjectionLane) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT graph_schema_name IF NOT EXISTS FOR (n:GraphSchema) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT belief_id IF NOT EXISTS FOR ()-[r:BELIEF]-() REQUIRE r.belief_id IS UNIQUE;
CREATE CONSTRAINT attribute_id IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() REQUIRE r.belief_id IS UNIQUE;
CREATE CONSTRAINT support_id IF NOT EXISTS FOR ()-[r:CONFIRMS]-() REQUIRE r.support_id IS UNIQUE;
CREATE INDEX belief_episode IF NOT EXISTS FOR ()-[r:BELIEF]-() ON (r.episode_id);
CREATE INDEX belief_recorded IF NOT EXISTS FOR ()-[r:BELIEF]-() ON (r.recorded_from);
CREATE INDEX belief_closed IF NOT EXISTS FOR ()-[r:BELIEF]-() ON (r.closed_at);
CREATE INDEX belief_key IF NOT EXISTS FOR ()-[r:BELIEF]-() ON (r.key, r.valid_from);
CREATE INDEX belief_fork IF NOT EXISTS FOR ()-[r:BELIEF]-() ON (r.key, r.fork, r.valid_from);
CREATE INDEX attribute_episode IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() ON (r.episode_id);
CREATE INDEX attribute_recorded IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() ON (r.recorded_from);
CREATE INDEX attribute_closed IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() ON (r.closed_at);
CREATE INDEX attribute_key IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() ON (r.key, r.valid_from);
CREATE INDEX attribute_fork IF NOT EXISTS FOR ()-[r:ATTRIBUTE]-() ON (r.key, r.fork, r.valid_from);
CREATE INDEX confirms_belief IF NOT EXISTS FOR ()-[r:CONFIRMS]-() ON (r.belief_id);
