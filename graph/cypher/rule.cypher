//: variable r
// The reading rule (DESIGN section 6): an edge is believed at ($valid_at, $known_at).
r.valid_from <= $valid_at AND $valid_at < r.valid_to
AND r.recorded_from <= $known_at AND $known_at < r.recorded_to
AND
//: include access r
