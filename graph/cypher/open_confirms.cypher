UNWIND $rows AS row
MATCH (e:Episode {id: row[0]})
MATCH (s:Entity {id: row[1]})
CREATE (e)-[:CONFIRMS
  {valid_from: row[2], valid_to: row[3], recorded_from: row[4], recorded_to: row[5],
   listeners: row[6], classification: row[7], belief_id: row[8], support_id: row[9],
   statement_id: row[10], tenant: row[11], trust: row[12], episode_id: row[13],
   heard_at: row[14], imported: row[15]}]->(s)
RETURN count(*) AS done
