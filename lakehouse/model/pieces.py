"""Pieces: the cut of a key's belief state at one recorded instant, as a function of that state.

A piece is a maximal stretch of the valid axis on which origin, what it carries, and the set of
listeners that hold it are constant (DESIGN section 3.8). A belief is a piece over the recorded
instants through which it stays the same, so rectangles do not depend on how batches were cut.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lakehouse.model.beliefs import Reason
from lakehouse.model.closings import Ground
from lakehouse.model.instants import FOREVER
from lakehouse.model.painting import Canvas, Layer, Value
from lakehouse.model.spans import Slice, Span, constant
from lakehouse.model.statements import Statement

Levels = tuple[int, int]
"""(trust, classification) as carried."""


class Content(NamedTuple):
    """What makes one piece differ from its neighbour."""

    origin: str
    erased: bool
    trust: int
    classification: int


class Shape(NamedTuple):
    """A piece without its history: where, what, and for whom."""

    start: int
    end: int
    content: Content
    mask: int


class Supporter(NamedTuple):
    """Who supports a piece further, and what it carries."""

    statement: str
    trust: int
    classification: int


class BoxShape(NamedTuple):
    """A further supporter inside a piece, without its history: where, who, and for whom."""

    start: int
    end: int
    supporter: Supporter
    mask: int


@dataclass(slots=True, eq=False)
class Box:
    """A further supporter over one stretch of a piece, and the recorded instants it lived."""

    start: int
    end: int
    supporter: Supporter
    mask: int
    recorded_from: int
    recorded_to: int = FOREVER

    @property
    def shape(self) -> BoxShape:
        """The box without its history."""
        return BoxShape(self.start, self.end, self.supporter, self.mask)


@dataclass(slots=True, eq=False)
class Piece:
    """A piece and the recorded instants it lived through.

    `boxes` are open as long as the piece is; `past_boxes` closed before it did.
    """

    start: int
    end: int
    value: Value
    content: Content
    mask: int
    recorded_from: int
    opened_by: str
    recorded_to: int = FOREVER
    closed_by: str | None = None
    reason: Reason | None = None
    boxes: list[Box] = field(default_factory=list)
    past_boxes: list[Box] | None = None

    @property
    def shape(self) -> Shape:
        """The piece without its history."""
        return Shape(self.start, self.end, self.content, self.mask)

    def close(self, at: int, reason: Reason, closed_by: str) -> None:
        """End it and its boxes at recorded instant `at`; a box that began only then never was."""
        self.recorded_to, self.reason, self.closed_by = at, reason, closed_by
        if self.boxes:
            self.boxes = [box for box in self.boxes if box.recorded_from < at]
            for box in self.boxes:
                box.recorded_to = at

    def part(self, start: int, at: int, opened_by: str) -> Piece:
        """A new piece from recorded instant `at` on that is this one's from `start` on."""
        return Piece(start, self.end, self.value, self.content, self.mask, at, opened_by)

    def boxes_over(self, start: int, end: int, at: int) -> list[Box]:
        """Its open boxes cut down to [start, end), from recorded instant `at` on."""
        return [
            Box(max(box.start, start), min(box.end, end), box.supporter, box.mask, at)
            for box in self.boxes
            if box.start < end and start < box.end
        ]


@dataclass(slots=True)
class Audience:
    """Listeners that hear the same statements of a key: one canvas serves them all."""

    mask: int
    canvas: Canvas
    last: tuple[int, int] = (-(1 << 62), 0)
    """Place in the ledger of the last statement that it ever heard."""
    carried: dict[str, Levels] = field(default_factory=dict)
    """What each statement heard now carries, by its id."""
    starts: list[int] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    """Its open pieces, ordered by `starts`; a piece may be in several audiences."""
    shown: dict[str, list[Piece | Box]] = field(default_factory=lambda: defaultdict(list))
    """By statement id, the pieces that it is the origin of and the boxes that it is in."""

    def showing(self, statement: str) -> list[Span]:
        """Where the statement is the origin or a supporter of what is believed now."""
        still = [part for part in self.shown.get(statement, ()) if part.recorded_to == FOREVER]
        self.shown[statement] = still
        return [(part.start, part.end) for part in still]

    def touching(self, span: Span) -> Iterator[Piece]:
        """Open pieces that overlap or touch the span."""
        place = bisect_left(self.starts, span[0])
        if place and self.pieces[place - 1].end >= span[0]:
            place -= 1
        while place < len(self.pieces) and self.starts[place] <= span[1]:
            yield self.pieces[place]
            place += 1

    def insert(self, piece: Piece) -> None:
        """Take the piece up among the open ones."""
        place = bisect_right(self.starts, piece.start)
        self.starts.insert(place, piece.start)
        self.pieces.insert(place, piece)
        self.shown[piece.content.origin].append(piece)

    def remove(self, piece: Piece) -> None:
        """Take the piece out of the open ones."""
        place = bisect_left(self.starts, piece.start)
        del self.starts[place], self.pieces[place]

    def ground(self, span: Span) -> list[Ground]:
        """What it has over the span now."""
        return [
            Ground(None, None) if layer is None else Ground(layer.painter, layer.value)
            for _, _, layer in self.canvas.segments(span)
        ]

    def value(self, at: int) -> Value:
        """What it says at that valid instant, where it has a piece."""
        ((_, _, layer),) = self.canvas.segments((at, at + 1))
        assert layer is not None
        assert layer.value is not None
        return layer.value

    def content(self, layer: Layer) -> Content:
        """What a layer shows: the first live supporter, else the erased slot."""
        origin = layer.origin or layer.root
        return Content(
            origin.statement_id, layer.origin is None, *self.carried[origin.statement_id]
        )


def shapes(windows: Mapping[int, list[Span]], audiences: Iterable[Audience]) -> list[Shape]:
    """The pieces inside each audience's windows (by audience mask), in order of their start."""
    slices: dict[Content, list[Slice]] = {}
    for audience in audiences:
        for window in windows[audience.mask]:
            _slices(audience, window, slices)
    found = [
        Shape(start, end, content, mask)
        for content, parts in slices.items()
        for start, end, mask in (parts if len(windows) == 1 else constant(parts))
    ]
    return sorted(found)


def _slices(audience: Audience, window: Span, into: dict[Content, list[Slice]]) -> None:
    since, until, last = 0, 0, None
    for start, end, layer in audience.canvas.segments(window):
        content = None if layer is None or layer.value is None else audience.content(layer)
        if content is not None and content == last and start == until:
            until = end
            continue
        if last is not None:
            into.setdefault(last, []).append((since, until, audience.mask))
        since, until, last = start, end, content
    if last is not None:
        into.setdefault(last, []).append((since, until, audience.mask))


def boxes(shape: Shape, audiences: Iterable[Audience], erased: frozenset[str]) -> set[BoxShape]:
    """The further supporters inside a piece, each as maximal boxes."""
    slices: dict[Supporter, list[Slice]] = defaultdict(list)
    for audience in audiences:
        if shape.mask & audience.mask:
            for start, end, name in _supported(shape, audience, erased):
                supporter = Supporter(name, *audience.carried[name])
                slices[supporter].append((start, end, audience.mask))
    return {
        BoxShape(start, end, supporter, mask)
        for supporter, parts in slices.items()
        for start, end, mask in constant(parts)
    }


def _supported(
    shape: Shape, audience: Audience, erased: frozenset[str]
) -> Iterator[tuple[int, int, str]]:
    """Where each further supporter is in the run; a run that goes on takes only what joins it."""

    def counts(one: Statement) -> bool:
        name = one.statement_id
        return (
            name != shape.content.origin
            and name in audience.carried
            and not (one.erased or name in erased)
        )

    since: dict[str, int] = {}
    last: Layer | None = None
    for start, _, layer in audience.canvas.segments((shape.start, shape.end)):
        if layer is None or layer is last:
            continue
        if last is not None and layer.below is last:
            if counts(layer.painter):
                since[layer.painter.statement_id] = start
        else:
            now = {one.statement_id for one in layer.run() if counts(one)}
            for name in since.keys() - now:
                yield since.pop(name), start, name
            for name in now - since.keys():
                since[name] = start
        last = layer
    for name, start in since.items():
        yield start, shape.end, name
