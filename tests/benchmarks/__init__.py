"""Speed is measured here, never asserted; the reference point is measured in the same run."""
