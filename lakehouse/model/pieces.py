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
from lakehouse.model.instants import FOREVER
from lakehouse.model.painting import Canvas, Layer, Span
from lakehouse.model.spans import Slice, constant
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


class BoxShape(NamedTuple):
    """A further supporter inside a piece: where, who, what it carries, and for whom."""

    start: int
    end: int
    statement: str
    trust: int
    classification: int
    mask: int


@dataclass(slots=True)
class Box:
    """A support box and the recorded instants it lived through."""

    shape: BoxShape
    recorded_from: int
    recorded_to: int = FOREVER


@dataclass(slots=True)
class Piece:
    """A piece and the recorded instants it lived through."""

    shape: Shape
    recorded_from: int
    opened_by: str
    recorded_to: int = FOREVER
    closed_by: str | None = None
    reason: Reason | None = None
    boxes: dict[BoxShape, Box] = field(default_factory=dict)
    past_boxes: list[Box] = field(default_factory=list)


@dataclass(slots=True)
class Audience:
    """Listeners that hear the same statements of a key: one canvas serves them all."""

    mask: int
    canvas: Canvas
    heard: dict[str, Statement] = field(default_factory=dict)
    """Heard now, in ledger order."""
    carried: dict[str, Levels] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    """Its open pieces, ordered by `starts`; a piece may be in several audiences."""

    def touching(self, span: Span) -> Iterator[Piece]:
        """Open pieces that overlap or touch the span."""
        place = bisect_left(self.starts, span[0])
        if place and self.pieces[place - 1].shape.end >= span[0]:
            place -= 1
        while place < len(self.pieces) and self.starts[place] <= span[1]:
            yield self.pieces[place]
            place += 1

    def insert(self, piece: Piece) -> None:
        """Take the piece up among the open ones."""
        place = bisect_right(self.starts, piece.shape.start)
        self.starts.insert(place, piece.shape.start)
        self.pieces.insert(place, piece)

    def remove(self, piece: Piece) -> None:
        """Take the piece out of the open ones."""
        place = bisect_left(self.starts, piece.shape.start)
        del self.starts[place], self.pieces[place]

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
    if len(slices) == 1 and len(windows) == 1:
        ((content, parts),) = slices.items()
        return [Shape(start, end, content, mask) for start, end, mask in parts]
    found = [
        Shape(start, end, content, mask)
        for content, parts in slices.items()
        for start, end, mask in constant(parts)
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
    slices: dict[tuple[str, int, int], list[Slice]] = defaultdict(list)
    for audience in audiences:
        if not shape.mask & audience.mask:
            continue
        for start, end, layer in audience.canvas.segments((shape.start, shape.end)):
            if layer is None or layer.below is None:
                continue
            for supporter in layer.run():
                name = supporter.statement_id
                if name != shape.content.origin and not supporter.erased and name not in erased:
                    slices[(name, *audience.carried[name])].append((start, end, audience.mask))
    return {
        BoxShape(start, end, *supporter, mask)
        for supporter, parts in slices.items()
        for start, end, mask in constant(parts)
    }
