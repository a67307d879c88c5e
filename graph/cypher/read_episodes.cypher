MATCH (n:Episode)
WHERE n.id >= $low AND n.id <= $high
//: include found_episode n
