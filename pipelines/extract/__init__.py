"""Declared sources: a YAML says how records become statements. Knows nothing of Dagster."""
