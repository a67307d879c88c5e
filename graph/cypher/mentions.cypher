// row: episode, entity, recorded_from (the earliest), tenant.
UNWIND $rows AS row
MATCH (e:Episode {id: row[0]})
MATCH (s:Entity {id: row[1]})
MERGE (e)-[m:MENTIONS]->(s)
ON CREATE SET m.recorded_from = row[2], m.tenant = row[3]
ON MATCH SET m.recorded_from =
  CASE WHEN row[2] < m.recorded_from THEN row[2] ELSE m.recorded_from END
RETURN count(*) AS done
