"""Nothing later shows: what closed an edge after the basis, as an answer tells it.

The reading rule itself is Cypher (`cypher/rule.cypher`, with `access` in it), which query files
include for a variable of theirs: `//: include rule r`.
"""

from __future__ import annotations

from lakehouse.model.instants import FOREVER


def masked(
    recorded_to: int, closed_by: str | None, reason: str | None, known_at: int
) -> tuple[int, str | None, str | None]:
    """The three columns as they read at `known_at` (µs UTC): open where they closed after it."""
    if known_at < recorded_to:
        return FOREVER, None, None
    return recorded_to, closed_by, reason
