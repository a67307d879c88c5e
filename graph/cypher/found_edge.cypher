//: variable r
// Edges r from s to o as rows of `edge`: the ends, the edge's properties in their order, and how
// many it has in all. `properties` walks an edge's property chain once, where every r.x would
// walk it again. An end that is no node of ours has no id.
WITH s, CASE WHEN o:Entity OR o:Value THEN o.id END AS far, properties(r) AS p
RETURN collect([s.id, far,
//: include edge_columns p
, size(keys(p))]) AS found
