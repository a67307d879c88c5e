// Confirmations about these entities.
UNWIND $ids AS id
MATCH (s:Entity {id: id})<-[r:CONFIRMS]-(e)
//: include found_confirms r
