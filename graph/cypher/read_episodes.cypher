MATCH (n:Episode)
WHERE n.id >= $low AND n.id <= $high AND n.id STARTS WITH $prefix
//: include found_episode n
