"""Answers are whole: what would be too much is refused with a word, never cut short."""

from __future__ import annotations

from collections.abc import Sized
from typing import Final, TypeVar

from lakehouse.model.errors import InputError
from queries.basis import Instant, instant

MOST_TOLD: Final = 10_000
"""Beliefs of a recorded period, or paths between two entities, that one answer holds."""
_Told = TypeVar("_Told", bound=Sized)


def told_whole(told: _Told, what: str) -> _Told:
    """The same; InputError where it is more than one answer holds."""
    if len(told) > MOST_TOLD:
        raise InputError(
            f"there are more than {MOST_TOLD:,} {what}",
            remedy="Ask a shorter recorded period, or fewer steps; a whole state is a stream "
            "(`View.state`) or SQL over the lake (`beliefgraph lake sql`).",
        )
    return told


def recorded_period(since: Instant, until: Instant) -> tuple[int, int]:
    """Both bounds of [since, until) as µs UTC; InputError for an empty period."""
    start, end = instant("since", since), instant("until", until)
    if start >= end:
        raise InputError(
            "the recorded period is empty: it must end after it begins",
            remedy="Give the earlier instant first; its end is not part of it.",
        )
    return start, end
