"""The temporal model: pure values and rules, standard library only."""
