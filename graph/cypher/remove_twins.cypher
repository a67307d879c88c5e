// row: id, label. Of the nodes that are one in the lake the one with most edges stays.
UNWIND $rows AS row
MATCH (n:Entity|Value|Episode {id: row[0]})
WHERE row[1] IN labels(n)
WITH row, n ORDER BY COUNT { (n)--() } DESC
WITH row, collect(n) AS nodes
FOREACH (n IN nodes[1..] | DETACH DELETE n)
RETURN count(row) AS done
