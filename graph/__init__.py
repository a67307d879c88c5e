"""The projection: the lake's beliefs as a property graph in Neo4j, disposable and provable."""
