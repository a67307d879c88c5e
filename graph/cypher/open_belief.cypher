UNWIND $rows AS row
MATCH (s:Entity {id: row[0]})
MATCH (o:Entity {id: row[1]})
CREATE (s)-[:BELIEF
//: include edge row
]->(o)
RETURN count(*) AS done
