// Exactly these properties; of the labels these too many (row[14]).
UNWIND $rows AS row
MERGE (n:Episode {id: row[0]})
SET n = {id: row[0], tenant: row[1], episode: row[2], source: row[3], source_key: row[4],
  location: row[5], landed_at: row[6], occurred_at: row[7], attested_at: row[8],
  trust: row[9], classification: row[10], who: row[11], tags: row[12], media_type: row[13]}
REMOVE n:$(row[14])
RETURN count(*) AS done
