"""The fold of a key to which statements were only ever added: nothing undone, one audience.

Most keys are so. What is laid down later covers or confirms; no painter comes back from beneath.
So the axis needs to know only what is on top, pieces are cut in place, and the supporters of what
is left of a piece are its own, cut down: the cost is that of the rectangles that come out.
The rule is that of model.painting and model.closings; tests hold both paths to the same pieces.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from lakehouse.model.axis import Axis
from lakehouse.model.beliefs import Reason
from lakehouse.model.causes import Causes
from lakehouse.model.closings import BY_OPERATION, Ground, why
from lakehouse.model.instants import FOREVER
from lakehouse.model.painting import Value
from lakehouse.model.pieces import Box, Content, Piece, Supporter
from lakehouse.model.spans import Span
from lakehouse.model.statements import Operation, Statement

_ASSERT: Final = Operation.ASSERT


def _alone(painter: Statement, mask: int) -> list[Piece]:
    """The pieces of a key of one statement (most keys of many feeds)."""
    start, end = painter.valid_from, painter.end
    if painter.op is not _ASSERT:
        return []
    value = (painter.object_kind, painter.object)
    return [_piece(painter, start, end, value, mask)]


_Top = tuple[Statement | None, Piece | None]
"""The last painter (None: never painted) and the open piece (None: nothing is believed)."""


def fold_additions(statements: Sequence[Statement], mask: int) -> list[Piece]:
    """Every piece of one key, open and closed, from its painting statements in ledger order.

    All of them are heard by the listeners of `mask` and nobody else; none is withdrawn, marked
    or erased, and no period is empty.
    """
    if len(statements) == 1:
        return _alone(statements[0], mask)
    key = _Adding(mask)
    if len({statement.recorded_at for statement in statements}) == len(statements):
        for statement in statements:
            key.add(statement)
    else:
        for _, together in groupby(statements, key=attrgetter("recorded_at")):
            first, *others = together
            if others:
                key.add_together([first, *others])
            else:
                key.add(first)
    return key.all()


class _Adding:
    """A key while statements are added to it; on its axis is the open piece of each segment."""

    __slots__ = ("_axis", "_closed", "_fresh", "_mask")

    def __init__(self, mask: int) -> None:
        self._mask = mask
        self._axis: Axis[Piece] = Axis()
        self._closed: list[Piece] = []
        self._fresh: list[Piece] | None = None
        """While statements share an instant, the pieces that began at it."""

    def all(self) -> list[Piece]:
        """Closed pieces and open ones, each once."""
        last = None
        for _, piece in self._axis.tops:
            if piece is not None and piece is not last:
                self._closed.append(piece)
                last = piece
        return self._closed

    def add(self, painter: Statement) -> None:
        """Lay the next statement; it alone took hold at its recorded instant."""
        at, name = painter.recorded_at, painter.statement_id
        for piece in self._lay(painter):
            head_is_left = self._split(piece, at, name)
            changed = head_is_left and painter.op is _ASSERT
            piece.close(at, Reason.CHANGED if changed else BY_OPERATION[painter.op], name)
            self._closed.append(piece)

    def add_together(self, painters: Sequence[Statement]) -> None:
        """Lay statements of one recorded instant: what holds only between them never was."""
        at = painters[0].recorded_at
        lost: list[Piece] = []
        fresh: list[Piece] = []
        self._fresh = fresh
        for painter in painters:
            for piece in self._lay(painter):
                self._split(piece, at, painter.statement_id)
                if piece.recorded_from < at:
                    lost.append(piece)
        causes = Causes((painter, (painter.valid_from, painter.end)) for painter in painters)
        for piece in lost:
            span = (piece.start, piece.end)
            piece.close(at, *why(span, piece.value, [self._ground(span)], causes))
            self._closed.append(piece)
        for piece in fresh:
            piece.opened_by = causes.last((piece.start, piece.end)).statement_id
        self._fresh = None

    def _ground(self, span: Span) -> list[Ground]:
        first, beyond = self._axis.between(*span)
        return [
            Ground(painter, None if piece is None else piece.value)
            for painter, piece in self._axis.tops[first:beyond]
        ]

    def _lay(self, painter: Statement) -> list[Piece]:
        """Cover the painter's period; returns the pieces that lost a part of theirs."""
        lost: list[Piece] = []
        if painter.until_changed and not self._axis.is_long:
            self._cover(painter, painter.valid_from, FOREVER, lost, painter.valid_from)
        else:
            for start, end in self._axis.strokes(painter):
                self._cover(painter, start, end, lost)
        return lost

    def _cover(
        self, painter: Statement, start: int, end: int, lost: list[Piece], began: int = FOREVER
    ) -> None:
        """Cover [start, end), but leave alone what began after `began`."""
        axis = self._axis
        first, beyond = axis.between(start, end)
        spans, under = axis.starts[first:beyond], axis.tops[first:beyond]
        last, at = under[-1], axis.end(beyond - 1)
        starts: list[int] = []
        tops: list[_Top] = []
        if spans[0] < start:
            starts.append(spans[0])
            tops.append(under[0])
            spans[0] = start
        segments = zip(spans, under, strict=True)
        run = self._run(painter, segments, began, (starts, tops, lost))
        if run is not None:
            run.end = end
        if end < at:
            starts.append(end)
            tops.append(last)
        axis.put(first, beyond, starts, tops)

    def _run(
        self,
        painter: Statement,
        segments: Iterable[tuple[int, _Top]],
        began: int,
        into: tuple[list[int], list[_Top], list[Piece]],
    ) -> Box | Piece | None:
        """Cover the segments; returns the box or piece whose end is still to be told.

        Neighbours with one outcome become one segment: those of a piece that says the same get a
        box, the others together a new piece. `into` takes starts, tops, and pieces that lost.
        """
        starts, tops, lost = into
        value = (painter.object_kind, painter.object) if painter.op is _ASSERT else None
        run: Box | Piece | None = None
        outcome: object = self
        for start, top in segments:
            other, under = top
            spared = other is not None and other.valid_from > began
            if not spared and under is not None and under.value != value:
                if not lost or lost[-1] is not under:
                    lost.append(under)
                under = None
            if under is outcome and not spared:
                continue
            if run is not None:
                run.end = start
            starts.append(start)
            if spared:
                run, outcome = None, top
                tops.append(top)
                continue
            outcome = under
            if under is not None:
                run = self._confirm(under, start, painter)
                tops.append((painter, under))
            else:
                run = self._open(start, painter, value)
                tops.append((painter, run))
        return run

    def _open(self, start: int, painter: Statement, value: Value | None) -> Piece | None:
        if value is None:
            return None
        piece = _piece(painter, start, FOREVER, value, self._mask)
        if self._fresh is not None:
            self._fresh.append(piece)
        return piece

    def _confirm(self, piece: Piece, start: int, painter: Statement) -> Box:
        supporter = Supporter(painter.statement_id, painter.trust, painter.classification)
        box = Box(start, FOREVER, supporter, self._mask, painter.recorded_at)
        piece.boxes.append(box)
        return box

    def _split(self, piece: Piece, at: int, opened_by: str) -> bool:
        """Make what is left of the piece pieces of their own; True when its head is left."""
        tops, starts = self._axis.tops, self._axis.starts
        first = bisect_left(starts, piece.start)
        beyond = bisect_left(starts, piece.end, first)
        parts: list[Piece] = []
        within = False
        for place in range(first, beyond):
            painter, top = tops[place]
            if top is not piece:
                within = False
                continue
            if not within:
                parts.append(piece.part(starts[place], at, opened_by))
                within = True
            parts[-1].end = self._axis.end(place)
            tops[place] = (painter, parts[-1])
        if piece.boxes:
            for part in parts:
                part.boxes = piece.boxes_over(part.start, part.end, at)
        if self._fresh is not None:
            self._fresh += parts
        return bool(parts) and parts[0].start == piece.start


def _piece(painter: Statement, start: int, end: int, value: Value, mask: int) -> Piece:
    name = painter.statement_id
    content = Content(name, False, painter.trust, painter.classification)
    return Piece(start, end, value, content, mask, painter.recorded_at, name)
