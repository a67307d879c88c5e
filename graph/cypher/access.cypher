//: variable r
// Who may read an edge at all, on top of the two clocks: the listener holds it (its bit of the
// mask, given as a power of two) and the reader's clearance reaches the strictest
// classification carried so far.
r.listeners / $listener % 2 = 1 AND r.classification <= $clearance
