// As mentions, for the first load of a tenant: none can be there.
UNWIND $rows AS row
MATCH (e:Episode {id: row[0]})
MATCH (s:Entity {id: row[1]})
CREATE (e)-[:MENTIONS {recorded_from: row[2], tenant: row[3]}]->(s)
RETURN count(*) AS done
