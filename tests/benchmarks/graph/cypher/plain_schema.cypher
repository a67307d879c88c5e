// The graph without time finds its nodes by the same ids.
CREATE CONSTRAINT plain_entity_id IF NOT EXISTS FOR (n:PlainEntity) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT plain_value_id IF NOT EXISTS FOR (n:PlainValue) REQUIRE n.id IS UNIQUE
