"""The demo: what the world's time-zone rules were believed to be, release by release."""
