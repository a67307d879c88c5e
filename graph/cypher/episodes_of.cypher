UNWIND $ids AS id
MATCH (n:Episode {id: id})
//: include found_episode n
