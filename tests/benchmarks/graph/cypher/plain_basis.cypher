// Since when the graph without time is whole, and what it was made of.
MATCH (b:PlainBasis)
RETURN b.valid_at AS valid_at, b.known_at AS known_at
