"""The fork of a recorded period: the one number in it that the highest power of two divides.

All periods that hold an instant have their fork among its ancestors, one number a power, so an
ordered index on (key, fork, valid_from) finds what a crowded key says at any past instant by some
thirty seeks, however many versions it has: an interval tree on the recorded axis. Its leaves are
minutes, not microseconds: what was believed within one alone shares a fork, and is looked at one
by one.

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
LEAF: Final = 26
"""The power that bounds the leaves: 2**26 µs are 67 s. Each power more is a seek less."""
OPEN: Final = (0, 1 << (FOREVER.bit_length() - 2))
"""The forks of what has not ended: of what began by 1970, and of the rest."""
_LATEST: Final = LAST + 1


def fork(start: int, end: int) -> int:
    """The fork of [start, end): 0 is divided by all powers, and a leaf's is its middle."""
    last = end - 1
    if start <= 0 <= last:
        return 0
    level = ((start - 1) ^ last).bit_length() - 1
    return (last >> level) << level if level >= LEAF else leaf(last)


def leaf(instant: int) -> int:
    """The fork of the periods that lie between the same two multiples of 2**LEAF."""
    return ((instant >> LEAF) << LEAF) + (1 << (LEAF - 1))


def ancestors(instant: int) -> list[int]:
    """Every number but its leaf's that may be the fork of a recorded period that holds the instant.

    Both µs UTC; a period ends with a date that can be written, or not at all.
    """
    found = [*OPEN]
    for level in range(LEAF, _LATEST.bit_length()):
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
