"""The fork of a recorded period: the one number in it that the highest power of two divides.

All periods that hold an instant have their fork among its ancestors, one number a power, so an
ordered index on (key, fork, valid_from) finds what a crowded key says at any past instant by a
few dozen seeks, however many versions it has: an interval tree on the recorded axis.

Closing an edge moves its fork. So the index is relied on only while no batch is open; and only
keys of at least `DENSE` rectangles have forks at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from lakehouse.model.beliefs import Belief
from lakehouse.model.instants import FOREVER, LAST

DENSE: Final = 1_000
"""Rectangles from which on a key is dense: expanding so many costs about what the seeks cost."""
CROWD: Final = 500
"""Edges of a key that a reader looks at one by one; where there are more it asks for forks."""
_HIGHEST: Final = FOREVER.bit_length() - 1
_LATEST: Final = LAST + 1


def fork(start: int, end: int) -> int:
    """The number in [start, end) divisible by the highest power of two; 0 is by all."""
    last = end - 1
    if start <= 0 <= last:
        return 0
    level = ((start - 1) ^ last).bit_length() - 1
    return (last >> level) << level


def ancestors(instant: int) -> list[int]:
    """Every number that may be the fork of a recorded period that holds the instant.

    Both µs UTC; a period ends with a date that can be written, or not at all.
    """
    found = [0, 1 << (_HIGHEST - 1)]
    for level in range(_LATEST.bit_length()):
        middle = ((instant >> (level + 1)) << (level + 1)) + (1 << level)
        if middle - instant != 1 << level:
            found.append(middle)
    return found


def forks(beliefs: Iterable[Belief]) -> Mapping[str, int]:
    """By belief id, the forks of all whose keys are dense; the beliefs are all of their keys."""
    told = list(beliefs)
    sizes = Counter(belief.key for belief in told)
    if not sizes or max(sizes.values()) < DENSE:
        return {}
    return {
        belief.belief_id: fork(belief.recorded_from, belief.recorded_to)
        for belief in told
        if sizes[belief.key] >= DENSE
    }
