"""The whole line on real data."""
