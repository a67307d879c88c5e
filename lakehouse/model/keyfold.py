"""The fold of one key: its statements, instant after recorded instant, into pieces.

At each instant the canvases take what is newly heard, forget what no longer is, and only the
pieces that touch what changed are cut anew; those that come out the same stay open.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from lakehouse.model.causes import Causes
from lakehouse.model.closings import why
from lakehouse.model.painting import Canvas, Span
from lakehouse.model.pieces import Audience, Box, BoxShape, Piece, Shape, boxes, shapes
from lakehouse.model.spans import union
from lakehouse.model.standing import Standings, Step
from lakehouse.model.statements import Statement

_Event = tuple[Statement, Step]


def fold_key(
    statements: Sequence[Statement],
    standings: Standings,
    by_id: Mapping[str, Statement],
    erased: frozenset[str],
) -> list[Piece]:
    """Every piece of one key, open and closed, from its painting statements in ledger order.

    `by_id` finds the causes of steps (withdrawals and marks) and `erased` are statement ids.
    """
    audiences = [Audience(mask, Canvas(erased)) for mask in _partition(statements, standings)]
    events = sorted(
        (
            (step.at, statement.order, statement, step)
            for statement in statements
            for step in standings.of(statement)
        ),
        key=lambda event: event[:2],
    )
    done: list[Piece] = []
    for at, together in groupby(events, key=lambda event: event[0]):
        heard = [(statement, step) for _, _, statement, step in together]
        dirty = union(span for audience in audiences for span in _apply(audience, heard))
        if dirty:
            causes = Causes((by_id[step.cause], (s.valid_from, s.end)) for s, step in heard)
            done.extend(_recut(at, dirty, audiences, causes, erased))
    done.extend({id(p): p for audience in audiences for p in audience.pieces}.values())
    return done


def _partition(statements: Sequence[Statement], standings: Standings) -> list[int]:
    """Masks of listeners that hear the same statements with the same levels at all times."""
    masks = {
        part.mask
        for statement in statements
        for step in standings.of(statement)
        for part in step.heard
    }
    parts: list[int] = []
    for mask in masks:
        rest = mask
        refined: list[int] = []
        for part in parts:
            refined.extend(piece for piece in (part & mask, part & ~mask) if piece)
            rest &= ~part
        parts = refined + ([rest] if rest else [])
    return sorted(parts)


def _apply(audience: Audience, events: Iterable[_Event]) -> list[Span]:
    """Let the audience hear these steps; the spans where its canvas or levels changed."""
    gone: list[Span] = []
    came: list[Statement] = []
    marked: list[Span] = []
    for statement, step in events:
        name = statement.statement_id
        levels = next(
            ((part.trust, part.classification) for part in step.heard if part.mask & audience.mask),
            None,
        )
        span = (statement.valid_from, statement.end)
        if levels is None:
            if audience.heard.pop(name, None) is not None:
                gone.append(span)
            continue
        if name not in audience.heard:
            came.append(statement)
        elif audience.carried[name] != levels:
            marked.append(span)
        audience.carried[name] = levels
    return _repaint(audience, gone, came) + marked


def _repaint(audience: Audience, gone: list[Span], came: list[Statement]) -> list[Span]:
    """Bring the canvas up to date; plain additions to the end of what is heard only paint."""
    spans = [(statement.valid_from, statement.end) for statement in came]
    last = next(reversed(audience.heard.values()), None)
    appended = last is None or not came or came[0].order > last.order
    audience.heard.update((statement.statement_id, statement) for statement in came)
    if not appended:
        in_order = sorted(audience.heard.values(), key=lambda statement: statement.order)
        audience.heard = {statement.statement_id: statement for statement in in_order}
    if appended and not gone:
        for statement in came:
            audience.canvas.paint(statement)
        return spans
    for span in union(gone + spans):
        audience.canvas.repaint(span, audience.heard.values())
    return gone + spans


def _recut(
    at: int,
    dirty: Sequence[Span],
    audiences: Sequence[Audience],
    causes: Causes,
    erased: frozenset[str],
) -> list[Piece]:
    """Cut anew what touches the dirty spans; returns the pieces that closed."""
    before = {
        piece.shape: piece
        for audience in audiences
        for span in dirty
        for piece in audience.touching(span)
    }
    after = shapes(_windows(dirty, before, audiences), audiences)
    closed: list[Piece] = []
    for shape in before.keys() - set(after):
        piece = before[shape]
        grounds = [
            audience.ground((shape.start, shape.end)) for audience in _holders(shape, audiences)
        ]
        piece.close(at, *why((shape.start, shape.end), piece.value, grounds, causes))
        for audience in _holders(shape, audiences):
            audience.remove(piece)
        closed.append(piece)
    for shape in after:
        kept = before.get(shape)
        if kept is None:
            holders = _holders(shape, audiences)
            opened_by = causes.last((shape.start, shape.end)).statement_id
            kept = Piece(
                shape.start,
                shape.end,
                holders[0].value(shape.start),
                *shape.content,
                shape.mask,
                at,
                opened_by,
            )
            for audience in holders:
                audience.insert(kept)
        _refresh(kept, at, boxes(shape, audiences, erased))
    return closed


def _windows(
    dirty: Sequence[Span], before: Iterable[Shape], audiences: Sequence[Audience]
) -> dict[int, list[Span]]:
    spans: dict[int, list[Span]] = defaultdict(list)
    for audience in audiences:
        spans[audience.mask].extend(dirty)
    for shape in before:
        for audience in _holders(shape, audiences):
            spans[audience.mask].append((shape.start, shape.end))
    return {mask: union(several) for mask, several in spans.items()}


def _holders(shape: Shape, audiences: Iterable[Audience]) -> list[Audience]:
    return [audience for audience in audiences if shape.mask & audience.mask]


def _refresh(piece: Piece, at: int, now: set[BoxShape]) -> None:
    """Close the boxes that are gone and open those that came."""
    open_boxes = {box.shape: box for box in piece.boxes}
    if open_boxes.keys() == now:
        return
    past = piece.past_boxes = piece.past_boxes or []
    for shape in open_boxes.keys() - now:
        box = open_boxes.pop(shape)
        box.recorded_to = at
        past.append(box)
    piece.boxes = [*open_boxes.values(), *(Box(*shape, at) for shape in now - open_boxes.keys())]
