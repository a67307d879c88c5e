"""The statements of a key that one audience hears, found by the valid instant that they reach.

Who paints an instant last is told from the top down: the last explicit painter there, unless a
later one that gives way (until changed) began no earlier than it; of those the one that began
last, and of these the last stated. So no painter is looked at that does not show.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from lakehouse.model.instants import ALWAYS
from lakehouse.model.statements import Operation, Statement

_Order = tuple[int, int]
_Entry = tuple[_Order, Statement]
_FIRST: Final = (-(1 << 62), -1)
_BEYOND: Final = (1 << 62, 0)


class Heard:
    """What is heard now; `statements` are all that ever may be."""

    __slots__ = ("_explicit", "_yielding")

    def __init__(self, statements: Sequence[Statement]) -> None:
        self._explicit = _Explicit(statements)
        self._yielding = _Yielding(statements)

    def add(self, statement: Statement) -> None:
        """From now on the statement is heard."""
        if statement.until_changed:
            self._yielding.add(statement)
        else:
            self._explicit.add(statement)

    def remove(self, statement: Statement) -> None:
        """The statement, heard so far, is heard no more."""
        if statement.until_changed:
            self._yielding.remove(statement)
        else:
            self._explicit.remove(statement)

    def bounds(self, start: int, end: int) -> list[int]:
        """Instants inside (start, end) at which the painters may change, in order."""
        return sorted({*self._explicit.bounds(start, end), *self._yielding.bounds(start, end)})

    def run(self, at: int) -> tuple[list[Statement], Statement | None]:
        """The unbroken run of painters that say the same at a valid instant, and the one beneath.

        From the last down; a run of what asserts nothing is one painter.
        """
        run: list[Statement] = []
        painter = self._before(at, _BEYOND)
        while painter is not None and (not run or _same(painter, run[-1])):
            run.append(painter)
            painter = self._before(at, painter.order)
        return run, painter

    def _before(self, at: int, order: _Order) -> Statement | None:
        explicit = self._explicit.last(at, order)
        if explicit is None:
            return self._yielding.last(at, order, _FIRST, ALWAYS)
        since = explicit.valid_from
        return self._yielding.last(at, order, explicit.order, since) or explicit


def _same(one: Statement, other: Statement) -> bool:
    return (
        one.op is Operation.ASSERT
        and other.op is Operation.ASSERT
        and (one.object_kind, one.object) == (other.object_kind, other.object)
    )


class _Yielding:
    """Painters until changed, by their start, in a tree of the earliest and the latest stated."""

    __slots__ = ("_all", "_at", "_earliest", "_latest", "_starts")

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._all = sorted({s.valid_from for s in statements if s.until_changed})
        self._earliest = [_BEYOND] * (2 * len(self._all))
        self._latest = [_FIRST] * (2 * len(self._all))
        self._starts: list[int] = []
        self._at: dict[int, list[_Entry]] = {}

    def add(self, statement: Statement) -> None:
        start = statement.valid_from
        if start not in self._at:
            insort(self._starts, start)
            self._at[start] = []
        insort(self._at[start], (statement.order, statement))
        self._note(start)

    def remove(self, statement: Statement) -> None:
        start = statement.valid_from
        entries = self._at[start]
        del entries[bisect_left(entries, (statement.order,))]
        if not entries:
            del self._at[start]
            del self._starts[bisect_left(self._starts, start)]
        self._note(start)

    def _note(self, start: int) -> None:
        entries = self._at.get(start)
        earliest, latest = self._earliest, self._latest
        node = bisect_left(self._all, start) + len(self._all)
        earliest[node] = entries[0][0] if entries else _BEYOND
        latest[node] = entries[-1][0] if entries else _FIRST
        while node > 1:
            first = min(earliest[node], earliest[node ^ 1])
            last = max(latest[node], latest[node ^ 1])
            node >>= 1
            if earliest[node] == first and latest[node] == last:
                return
            earliest[node], latest[node] = first, last

    def bounds(self, start: int, end: int) -> list[int]:
        return self._starts[bisect_right(self._starts, start) : bisect_left(self._starts, end)]

    def last(self, at: int, below: _Order, above: _Order, since: int) -> Statement | None:
        """Of those that began in [since, at] the last to begin, stated between the two orders."""
        leaves = len(self._all)
        low, high = bisect_left(self._all, since), bisect_right(self._all, at)
        nodes = _blocks(low, high, leaves)[::-1] if low < high else []
        while nodes:
            node = nodes.pop()
            if self._earliest[node] >= below or self._latest[node] <= above:
                continue
            if node < leaves:
                nodes += (2 * node, 2 * node + 1)
                continue
            entries = self._at[self._all[node - leaves]]
            found = entries[bisect_left(entries, (below,)) - 1]
            if found[0] > above:
                return found[1]
        return None


def _blocks(low: int, high: int, leaves: int) -> list[int]:
    """The fewest nodes that make up the leaves [low, high), from the last to the first."""
    left: list[int] = []
    right: list[int] = []
    low, high = low + leaves, high + leaves
    while low < high:
        if low & 1:
            left.append(low)
            low += 1
        if high & 1:
            high -= 1
            right.append(high)
        low, high = low >> 1, high >> 1
    return right + left[::-1]


class _Explicit:
    """Painters with a period of their own, in a segment tree over the bounds of all of them."""

    __slots__ = ("_bounds", "_nodes")

    def __init__(self, statements: Iterable[Statement]) -> None:
        explicit = [s for s in statements if not s.until_changed]
        self._bounds = sorted({bound for s in explicit for bound in (s.valid_from, s.end)})
        self._nodes: dict[int, list[_Entry]] = defaultdict(list)

    def add(self, statement: Statement) -> None:
        for node in self._covering(statement):
            insort(self._nodes[node], (statement.order, statement))

    def remove(self, statement: Statement) -> None:
        for node in self._covering(statement):
            entries = self._nodes[node]
            del entries[bisect_left(entries, (statement.order,))]

    def _covering(self, statement: Statement) -> list[int]:
        """The fewest nodes whose spans make up the period."""
        low = bisect_left(self._bounds, statement.valid_from)
        high = bisect_left(self._bounds, statement.end)
        return _blocks(low, high, len(self._bounds))

    def bounds(self, start: int, end: int) -> list[int]:
        return self._bounds[bisect_right(self._bounds, start) : bisect_left(self._bounds, end)]

    def last(self, at: int, below: _Order) -> Statement | None:
        """The last stated before an order whose period holds the instant."""
        best: _Entry | None = None
        node = bisect_right(self._bounds, at) - 1
        node = node + len(self._bounds) if node >= 0 else 0
        while node:
            entries = self._nodes.get(node)
            if entries:
                found = bisect_left(entries, (below,))
                if found and (best is None or entries[found - 1][0] > best[0]):
                    best = entries[found - 1]
            node >>= 1
        return None if best is None else best[1]
