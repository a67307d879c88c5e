"""A period is half-open, `[start, end)`: it holds its start and not its end, and is never empty.

Two periods stand in exactly one of Allen's thirteen relations. Half-open bounds make *meets* an
equality: the end of the one is the start of the other, with no instant between them or in both.
The two open ends, `UNTIL_CHANGED` and `FOREVER`, reach equally far and are one end here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from lakehouse.model.errors import InputError
from lakehouse.model.instants import FOREVER, UNTIL_CHANGED, show


class Relation(StrEnum):
    """How one period stands to another (Allen 1983)."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished by"
    CONTAINS = "contains"
    STARTED_BY = "started by"
    OVERLAPPED_BY = "overlapped by"
    MET_BY = "met by"
    AFTER = "after"

    @property
    def inverse(self) -> Relation:
        """How the other period stands to this one."""
        return _INVERSE[self]


_ORDER: Final = tuple(Relation)
_INVERSE: Final[Mapping[Relation, Relation]] = MappingProxyType(
    dict(zip(_ORDER, reversed(_ORDER), strict=True))
)
_BY_ENDS: Final[Mapping[tuple[int, int], Relation]] = MappingProxyType(
    {
        (-1, -1): Relation.OVERLAPS,
        (-1, 0): Relation.FINISHED_BY,
        (-1, 1): Relation.CONTAINS,
        (0, -1): Relation.STARTS,
        (0, 0): Relation.EQUALS,
        (0, 1): Relation.STARTED_BY,
        (1, -1): Relation.DURING,
        (1, 0): Relation.FINISHES,
        (1, 1): Relation.OVERLAPPED_BY,
    }
)
"""For periods with an instant in common: order of the starts, order of the ends."""


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """`[start, end)` in µs UTC; InputError when it is empty."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start >= min(self.end, UNTIL_CHANGED):
            raise InputError(
                f"the period from {show(self.start)} to {show(self.end)} is empty",
                remedy="A period ends after it starts; its end is the first instant outside.",
            )

    @property
    def reach(self) -> int:
        """The end, with both open ends as one instant, `FOREVER`."""
        return FOREVER if self.end >= UNTIL_CHANGED else self.end

    def holds(self, instant: int) -> bool:
        """True for the start and every instant before the end."""
        return self.start <= instant < self.reach

    def relation(self, other: Period) -> Relation:
        """How this period stands to the other."""
        if self.reach <= other.start:
            return Relation.MEETS if self.reach == other.start else Relation.BEFORE
        if other.reach <= self.start:
            return Relation.MET_BY if other.reach == self.start else Relation.AFTER
        return _BY_ENDS[_order(self.start, other.start), _order(self.reach, other.reach)]

    def common(self, other: Period) -> Period | None:
        """The period that both hold, None when they have no instant in common."""
        start, end = max(self.start, other.start), min(self.reach, other.reach)
        return Period(start, end) if start < end else None


def _order(one: int, other: int) -> int:
    return (one > other) - (one < other)
