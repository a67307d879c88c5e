UNWIND $rows AS row
MATCH (s:Entity {id: row[0]})
MATCH (o:Value {id: row[1]})
CREATE (s)-[:ATTRIBUTE
//: include edge row
]->(o)
RETURN count(*) AS done
