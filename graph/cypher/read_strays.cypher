//: include strays r
WITH r LIMIT $limit
RETURN collect([type(r), r.belief_id, startNode(r).id, endNode(r).id]) AS found
