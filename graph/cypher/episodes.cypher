// Of an episode all of which was erased nobody is named; something else of it may show later.
UNWIND $rows AS row
MERGE (n:Episode {id: row[0]})
ON CREATE SET n.tenant = row[1], n.episode = row[2], n.source = row[3], n.source_key = row[4],
  n.location = row[5], n.landed_at = row[6], n.occurred_at = row[7], n.attested_at = row[8],
  n.trust = row[9], n.classification = row[10], n.who = row[11], n.tags = row[12],
  n.media_type = row[13]
ON MATCH SET n.location = coalesce(n.location, row[5]), n.who = coalesce(n.who, row[11]),
  n.tags = coalesce(n.tags, row[12])
RETURN count(*) AS done
