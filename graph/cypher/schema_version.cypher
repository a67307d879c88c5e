MERGE (n:GraphSchema {name: 'beliefgraph'})
ON CREATE SET n.version = $version
RETURN n.version AS version
