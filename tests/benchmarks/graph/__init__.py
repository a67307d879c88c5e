"""The graph's benchmark: one large seeded set, its reads and writes, goals beside figures."""
