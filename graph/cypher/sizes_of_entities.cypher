// Of these entities, the edges about each.
UNWIND $ids AS id
MATCH (n:Entity {id: id})
RETURN collect([n.id, COUNT { (n)-[:BELIEF]->() } + COUNT { (n)-[:ATTRIBUTE]->() }
                + COUNT { (n)<-[:CONFIRMS]-() }]) AS found
