"""A number with its noun, for sentences: `1 row`, `2 rows`, `1,204 rows`."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """The number and the noun, which takes an `s` unless there is one of it."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
