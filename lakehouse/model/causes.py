"""What took hold of a key at one recorded instant, and the last of it that reaches a span.

One statement is the rule; a batch that tells a whole history at once may bring a hundred
thousand, so the search looks only at those that can reach.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate

from lakehouse.model.instants import FOREVER
from lakehouse.model.spans import Span
from lakehouse.model.statements import Operation, Statement

Cause = tuple[Statement, Span]
"""A statement that took hold, and the valid span over which it did."""


class Causes:
    """The statements that took hold at one recorded instant."""

    __slots__ = ("_all", "_causes", "_names", "_silencing")

    def __init__(self, causes: Iterable[Cause]) -> None:
        self._causes = list(causes)
        self._all: _Reach | None = None
        self._silencing: _Reach | None = None
        self._names: set[str] | None = None

    def has(self, statement: Statement) -> bool:
        """True when the statement itself took hold now."""
        if self._names is None:
            self._names = {statement.statement_id for statement, _ in self._causes}
        return statement.statement_id in self._names

    def last(self, span: Span) -> Statement:
        """The last that reaches the span, else the last that touches it (a neighbour merged)."""
        if len(self._causes) == 1:
            return self._causes[0][0]
        if self._all is None:
            self._all = _Reach(self._causes)
        found = self._all.last(*span) or self._all.last(span[0] - 1, span[1] + 1)
        assert found is not None
        return found

    def last_silencing(self, span: Span) -> Statement:
        """The last that reaches the span and asserts nothing; without one, as `last`."""
        if len(self._causes) == 1:
            return self._causes[0][0]
        if self._all is None:
            self._all = _Reach(self._causes)
        if self._silencing is None:
            self._silencing = _Reach(c for c in self._causes if c[0].op is not Operation.ASSERT)
        if self._all.last(*span) is None:
            span = (span[0] - 1, span[1] + 1)
        return self._silencing.last(*span) or self.last(span)


class _Reach:
    """Statements by where they reach: open-ended ones need only the last up to each start."""

    __slots__ = ("_bounded", "_endless", "_ends", "_last", "_starts")

    def __init__(self, causes: Iterable[Cause]) -> None:
        ordered = sorted(causes, key=lambda cause: cause[1])
        endless = [cause for cause in ordered if cause[1][1] >= FOREVER]
        self._endless = [span[0] for _, span in endless]
        self._last = list(accumulate((cause[0] for cause in endless), _later))
        self._bounded = [cause for cause in ordered if cause[1][1] < FOREVER]
        self._starts = [span[0] for _, span in self._bounded]
        self._ends = list(accumulate((span[1] for _, span in self._bounded), max))

    def last(self, since: int, until: int) -> Statement | None:
        """The last whose span overlaps [since, until)."""
        reaching: list[Statement] = []
        place = bisect_left(self._endless, until)
        if place:
            reaching.append(self._last[place - 1])
        first = bisect_right(self._ends, since)
        beyond = bisect_left(self._starts, until)
        reaching += [cause[0] for cause in self._bounded[first:beyond] if cause[1][1] > since]
        return max(reaching, key=lambda statement: statement.order, default=None)


def _later(one: Statement, other: Statement) -> Statement:
    return one if one.order > other.order else other
