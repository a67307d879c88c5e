"""The second path to the same answer: SQL over `statements`, painted anew for every question."""
