// The graph without time is whole.
CREATE (:PlainBasis {valid_at: $valid_at, known_at: $known_at})
