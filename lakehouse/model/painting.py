"""Who is on top at each valid instant of one key, for one set of statements heard.

The rule (DESIGN section 3.3), painter after painter in ledger order: an explicit period paints
whole; an until-changed one paints from its start on but leaves an instant alone where the last
painter began later; `end` and `retract` paint nothing. It depends on periods and order alone.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lakehouse.model.instants import ALWAYS, FOREVER
from lakehouse.model.statements import Operation, Statement

Span = tuple[int, int]
"""Half-open interval of the valid axis; `FOREVER` stands for either open end."""
Value = tuple[str, str | None]
"""(kind of the object, object) as asserted."""


class Layer:
    """The last painter over a segment, with the unbroken run of painters that say the same.

    `value` is None where nothing is believed. `origin` is the first of the run that is not
    erased (None when all are), `root` the first of all.
    """

    __slots__ = ("below", "origin", "painter", "root", "value")

    def __init__(self, painter: Statement, under: Layer | None, erased: frozenset[str]) -> None:
        self.painter = painter
        self.value = _value(painter)
        same = self.value is not None and under is not None and under.value == self.value
        self.below = under if same else None
        lost = painter.erased or painter.statement_id in erased
        own = None if lost or self.value is None else painter
        self.origin: Statement | None = (self.below.origin if self.below else None) or own
        self.root: Statement = self.below.root if self.below else painter

    def run(self) -> Iterator[Statement]:
        """The run from the last painter down to the first, erased ones included."""
        layer: Layer | None = self
        while layer is not None:
            yield layer.painter
            layer = layer.below


def _value(painter: Statement) -> Value | None:
    if painter.op is not Operation.ASSERT:
        return None
    return (painter.object_kind, painter.object)


class Segment(NamedTuple):
    """A maximal stretch of the valid axis under one layer (None: never painted)."""

    start: int
    end: int
    layer: Layer | None


class Canvas:
    """The valid axis of one key, cut into segments; painted in ledger order."""

    __slots__ = ("_erased", "_layers", "_starts")

    def __init__(self, erased: frozenset[str] = frozenset()) -> None:
        self._erased = erased
        self._starts: list[int] = [ALWAYS]
        self._layers: list[Layer | None] = [None]

    def paint(self, painter: Statement, within: Span = (ALWAYS, FOREVER)) -> None:
        """Lay the next painter over its period, cut down to `within`."""
        start, end = max(painter.valid_from, within[0]), min(painter.end, within[1])
        if start >= end:
            return
        first, beyond = self._cut(start), self._cut(end)
        made: dict[int, Layer] = {}
        starts: list[int] = []
        layers: list[Layer | None] = []
        for place in range(first, beyond):
            under = self._layers[place]
            layer = self._over(under, painter, made)
            if not layers or layers[-1] is not layer:
                starts.append(self._starts[place])
                layers.append(layer)
        self._starts[first:beyond] = starts
        self._layers[first:beyond] = layers

    def _over(
        self, under: Layer | None, painter: Statement, made: dict[int, Layer]
    ) -> Layer | None:
        began_later = under is not None and under.painter.valid_from > painter.valid_from
        if began_later and painter.until_changed:
            return under
        layer = made.get(id(under))
        if layer is None:
            layer = Layer(painter, under, self._erased)
            if layer.below is None:
                layer = made.setdefault(-1, layer)
            made[id(under)] = layer
        return layer

    def repaint(self, span: Span, painters: Iterable[Statement]) -> None:
        """Forget what lies in the span and lay these painters (in ledger order) there anew."""
        fresh = Canvas(self._erased)
        for painter in painters:
            fresh.paint(painter, span)
        anew = list(fresh.segments(span))
        first, beyond = self._cut(span[0]), self._cut(span[1])
        self._starts[first:beyond] = [segment.start for segment in anew]
        self._layers[first:beyond] = [segment.layer for segment in anew]

    def segments(self, span: Span) -> Iterator[Segment]:
        """The segments inside the span, cut down to it, in order."""
        place = bisect_right(self._starts, span[0]) - 1
        start = span[0]
        while start < span[1]:
            following = place + 1
            known = following < len(self._starts)
            end = min(self._starts[following] if known else FOREVER, span[1])
            yield Segment(start, end, self._layers[place])
            start, place = end, following

    def _cut(self, at: int) -> int:
        if at >= FOREVER:
            return len(self._starts)
        place = bisect_left(self._starts, at)
        if place == len(self._starts) or self._starts[place] != at:
            self._starts.insert(place, at)
            self._layers.insert(place, self._layers[place - 1])
        return place
