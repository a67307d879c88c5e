"""The valid axis of a key in segments: where each starts, who painted it last, what is there.

A painter that gives way (until changed) covers only what did not begin later, so on a long axis
the segments that it may have to visit are kept in a list of their own: those whose painter began
before their start. All others began where they start, and so later than it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from lakehouse.model.instants import ALWAYS, FOREVER
from lakehouse.model.spans import Span
from lakehouse.model.statements import Statement

_T = TypeVar("_T")
LONG: Final = 32
"""Beyond this many segments the list pays."""


class Axis(Generic[_T]):
    """Segments in order; `tops` are (last painter or None, what is there or None)."""

    __slots__ = ("_held", "starts", "tops")

    def __init__(self) -> None:
        self.starts: list[int] = [ALWAYS]
        self.tops: list[tuple[Statement | None, _T | None]] = [(None, None)]
        self._held: list[int] | None = None

    def strokes(self, painter: Statement) -> Sequence[Span]:
        """The spans that the painter covers: its period, or what of it did not begin later."""
        began, end = painter.valid_from, painter.end
        if not painter.until_changed:
            return [(began, end)]
        first = bisect_right(self.starts, began) - 1
        strokes = [(began, self.end(first))]
        for place in self._candidates(first, began):
            other = self.tops[place][0]
            if other is None or other.valid_from <= began:
                start, end = self.starts[place], self.end(place)
                if strokes[-1][1] == start:
                    strokes[-1] = (strokes[-1][0], end)
                else:
                    strokes.append((start, end))
        return strokes

    def _candidates(self, first: int, began: int) -> Sequence[int]:
        if not self.is_long:
            return range(first + 1, len(self.starts))
        assert self._held is not None
        held = self._held[bisect_right(self._held, began) :]
        return [bisect_left(self.starts, start, first) for start in held]

    @property
    def is_long(self) -> bool:
        """True once there are many segments."""
        if self._held is None and len(self.starts) > LONG:
            self._held = _held(self.starts, self.tops)
        return self._held is not None

    def between(self, start: int, end: int) -> tuple[int, int]:
        """Places of the segments that overlap [start, end): the first, and beyond the last."""
        first = bisect_right(self.starts, start) - 1
        return first, bisect_left(self.starts, end, first + 1)

    def end(self, place: int) -> int:
        """Where the segment at this place ends."""
        return self.starts[place + 1] if place + 1 < len(self.starts) else FOREVER

    def put(
        self,
        first: int,
        beyond: int,
        starts: Sequence[int],
        tops: Sequence[tuple[Statement | None, _T | None]],
    ) -> None:
        """Let these segments stand where those from place `first` up to `beyond` stood."""
        if self._held is not None:
            at = self.starts[beyond] if beyond < len(self.starts) else FOREVER
            low, high = bisect_left(self._held, starts[0]), bisect_left(self._held, at)
            self._held[low:high] = _held(starts, tops)
        self.starts[first:beyond] = starts
        self.tops[first:beyond] = tops


def _held(starts: Sequence[int], tops: Sequence[tuple[Statement | None, object]]) -> list[int]:
    return [
        start
        for start, (painter, _) in zip(starts, tops, strict=True)
        if painter is None or painter.valid_from < start
    ]
