"""Who is on top at each valid instant of one key, for one set of statements heard.

The rule (DESIGN section 3.3), painter after painter in ledger order: an explicit period paints
whole; an until-changed one paints from its start on but leaves an instant alone where the last
painter began later; `end` and `retract` paint nothing. It depends on periods and order alone.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from lakehouse.model.axis import Axis
from lakehouse.model.heard import Heard
from lakehouse.model.spans import Span, union
from lakehouse.model.statements import Operation, Statement

Value = tuple[str, str | None]
"""(kind of the object, object) as asserted."""


class Layer:
    """The last painter over a segment, with the unbroken run of painters that say the same.

    `value` is None where nothing is believed. `origin` is the first of the run that is not
    erased (None when all are), `root` the first of all; `beneath` are the painters that the root
    covered, one or several where a segment covers several.
    """

    __slots__ = ("below", "beneath", "origin", "painter", "root", "value")

    def __init__(self, painter: Statement, below: Layer | None, lost: bool) -> None:
        self.painter = painter
        self.value = value_of(painter)
        self.below = below
        own = None if lost or self.value is None else painter
        self.origin: Statement | None = (below.origin if below else None) or own
        self.root: Statement = below.root if below else painter
        self.beneath: tuple[Statement, ...] = below.beneath if below else ()

    def run(self) -> Iterator[Statement]:
        """The run from the last painter down to the first, erased ones included."""
        layer: Layer | None = self
        while layer is not None:
            yield layer.painter
            layer = layer.below


def value_of(painter: Statement) -> Value | None:
    """What the painter asserts; None for one that ends or retracts."""
    if painter.op is not Operation.ASSERT:
        return None
    return (painter.object_kind, painter.object)


Segment = tuple[int, int, Layer | None]
"""(start, end, layer): a stretch of the valid axis under one layer (None: never painted)."""
_Top = tuple[Statement | None, Layer | None]


class Canvas:
    """The valid axis of one key, cut into segments, as the statements heard have painted it."""

    __slots__ = ("_axis", "_erased", "_heard", "_near")

    def __init__(self, statements: Sequence[Statement], erased: frozenset[str]) -> None:
        self._erased = erased
        self._heard = Heard(statements)
        self._axis: Axis[Layer] = Axis()
        self._near: dict[str, list[int]] = defaultdict(list)
        """By statement id, starts of segments that had it right beneath their root."""

    def paint(self, painter: Statement) -> tuple[list[Span], list[Span]]:
        """Hear a statement later than all others and lay it down.

        Returns the spans where it says what was said already, and those where it does not.
        """
        self._heard.add(painter)
        confirmed: list[Span] = []
        changed: list[Span] = []
        for start, end in self._axis.strokes(painter):
            starts, tops = self._under(start, end)
            laid = self._laid(painter, tops)
            for place, layer in enumerate(laid):
                until = starts[place + 1] if place + 1 < len(starts) else end
                shown = layer.below is not None and layer.below.origin is not None
                into = confirmed if shown else changed
                into.append((starts[place], until))
            self._put(start, end, starts, laid)
        return union(confirmed), union(changed)

    def _under(self, start: int, end: int) -> tuple[list[int], list[_Top]]:
        first, beyond = self._axis.between(start, end)
        starts = self._axis.starts[first:beyond]
        starts[0] = start
        return starts, self._axis.tops[first:beyond]

    def _laid(self, painter: Statement, tops: Sequence[_Top]) -> list[Layer]:
        """The painter's layer over each of these; one for all that it hides."""
        value = value_of(painter)
        made: dict[int, Layer] = {}
        roots: dict[bool, Layer] = {}
        beneath: dict[str, Statement] = {}
        laid: list[Layer] = []
        for other, under in tops:
            if value is not None and under is not None and under.value == value:
                layer = made.get(id(under))
                if layer is None:
                    layer = made[id(under)] = self._layer(painter, under)
            else:
                if other is not None:
                    beneath[other.statement_id] = other
                blank = other is None
                layer = roots.get(blank)
                if layer is None:
                    layer = roots[blank] = self._layer(painter, None)
            laid.append(layer)
        if beneath:
            roots[False].beneath = tuple(beneath.values())
        return laid

    def _layer(self, painter: Statement, below: Layer | None) -> Layer:
        return Layer(painter, below, painter.erased or painter.statement_id in self._erased)

    def forget(self, painters: Iterable[Statement]) -> None:
        """Hear these statements no more; what they covered is to be laid anew (`redo`)."""
        for painter in painters:
            self._heard.remove(painter)

    def insert(self, painter: Statement) -> list[Span]:
        """Hear a statement that others follow; returns where it may show, laid anew."""
        self._heard.add(painter)
        spans = self._open_to(painter)
        self.redo(spans)
        return spans

    def _open_to(self, painter: Statement) -> list[Span]:
        """Where no later painter is sure to hide it and all that follows from it."""
        span = (painter.valid_from, painter.end)
        if not painter.until_changed:
            return [span]
        return union(
            (start, end)
            for start, end, layer in self.segments(span)
            if layer is None
            or not layer.beneath
            or not all(_hides(other, painter) for other in layer.beneath)
        )

    def redo(self, spans: Iterable[Span]) -> None:
        """Lay anew what lies in the spans, from what is heard."""
        for start, end in union(spans):
            starts: list[int] = []
            laid: list[Layer | None] = []
            beneath: list[dict[str, Statement]] = []
            last: tuple[list[Statement], bool] | None = None
            for at in [start, *self._heard.bounds(start, end)]:
                run, under = self._heard.run(at)
                if (run, under is None) != last:
                    starts.append(at)
                    laid.append(self._chain(run))
                    beneath.append({})
                    last = (run, under is None)
                if under is not None:
                    beneath[-1][under.statement_id] = under
            for layer, covered in zip(laid, beneath, strict=True):
                if layer is not None:
                    layer.beneath = tuple(covered.values())
            self._put(start, end, starts, laid)

    def _chain(self, run: Sequence[Statement]) -> Layer | None:
        layer: Layer | None = None
        for painter in reversed(run):
            layer = self._layer(painter, layer)
        return layer

    def _put(
        self, start: int, end: int, starts: Sequence[int], laid: Sequence[Layer | None]
    ) -> None:
        """Let these layers lie over [start, end); equal neighbours become one segment."""
        axis = self._axis
        first, beyond = axis.between(start, end)
        rest, at = axis.tops[beyond - 1], axis.end(beyond - 1)
        new_starts: list[int] = []
        new_tops: list[_Top] = []
        for since, layer in zip(starts, laid, strict=True):
            if not new_tops or new_tops[-1][1] is not layer:
                new_starts.append(since)
                new_tops.append((None if layer is None else layer.painter, layer))
        if end < at:
            new_starts.append(end)
            new_tops.append(rest)
        for since, (_, layer) in zip(new_starts, new_tops, strict=True):
            for beneath in layer.beneath if layer is not None else ():
                self._near[beneath.statement_id].append(since)
        if axis.starts[first] < start:
            new_starts.insert(0, axis.starts[first])
            new_tops.insert(0, axis.tops[first])
        axis.put(first, beyond, new_starts, new_tops)

    def near(self, statement: Statement) -> list[Span]:
        """Where the statement lies right beneath a run."""
        starts = self._axis.starts
        found: list[Span] = []
        for start in self._near.get(statement.statement_id, ()):
            place = bisect_left(starts, start)
            if place < len(starts) and starts[place] == start:
                layer = self._axis.tops[place][1]
                if layer is not None and any(s is statement for s in layer.beneath):
                    found.append((start, self._axis.end(place)))
        return found

    def segments(self, span: Span) -> list[Segment]:
        """The segments inside the span, cut down to it, in order."""
        first, beyond = self._axis.between(*span)
        starts = self._axis.starts[first:beyond]
        starts[0] = span[0]
        ends = [*starts[1:], span[1]]
        layers = [layer for _, layer in self._axis.tops[first:beyond]]
        return list(zip(starts, ends, layers, strict=True))


def _hides(later: Statement, painter: Statement) -> bool:
    """True where what follows `later` is the same with the painter and without it."""
    return later.order > painter.order and (
        not later.until_changed or later.valid_from >= painter.valid_from
    )
