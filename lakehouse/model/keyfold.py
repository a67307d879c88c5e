"""The fold of one key: its statements, instant after recorded instant, into pieces.

At each instant the canvases take what is newly heard, forget what no longer is, and only the
pieces that touch what changed are cut anew; those that come out the same stay open.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from lakehouse.model.causes import Causes
from lakehouse.model.closings import why
from lakehouse.model.hearing import Change, hear
from lakehouse.model.painting import Canvas
from lakehouse.model.pieces import Audience, Box, BoxShape, Piece, Shape, Supporter, boxes, shapes
from lakehouse.model.spans import Slice, Span, constant, union
from lakehouse.model.standing import Standings
from lakehouse.model.statements import Statement


def fold_key(
    statements: Sequence[Statement],
    standings: Standings,
    by_id: Mapping[str, Statement],
    erased: frozenset[str],
) -> list[Piece]:
    """Every piece of one key, open and closed, from its painting statements in ledger order.

    `by_id` finds the causes of steps (withdrawals and marks) and `erased` are statement ids. No
    period is empty.
    """
    audiences = [
        Audience(mask, Canvas(statements, erased)) for mask in _partition(statements, standings)
    ]
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
        changes = [hear(audience, heard, erased) for audience in audiences]
        if any(change.dirty for change in changes):
            spans = [span for change in changes for span in change.spans()]
            causes = Causes((by_id[step.cause], (s.valid_from, s.end)) for s, step in heard)
            done.extend(_recut(at, union(spans), audiences, causes, erased))
        else:
            _confirm(at, audiences, changes)
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


def _confirm(at: int, audiences: Sequence[Audience], changes: Sequence[Change]) -> None:
    """Nothing changed but that pieces have further supporters: they get their boxes."""
    slices: dict[tuple[int, str], list[Slice]] = defaultdict(list)
    pieces: dict[int, Piece] = {}
    for audience, change in zip(audiences, changes, strict=True):
        for statement, span in change.confirmed:
            for piece in audience.touching(span):
                start, end = max(piece.start, span[0]), min(piece.end, span[1])
                if start < end:
                    pieces[id(piece)] = piece
                    slices[id(piece), statement].append((start, end, audience.mask))
    for (place, statement), parts in slices.items():
        for start, end, mask in constant(parts):
            levels = _holders(mask, audiences)[0].carried[statement]
            box = Box(start, end, Supporter(statement, *levels), mask, at)
            pieces[place].boxes.append(box)
            _show(box, audiences)


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
            audience.ground((shape.start, shape.end))
            for audience in _holders(shape.mask, audiences)
        ]
        piece.close(at, *why((shape.start, shape.end), piece.value, grounds, causes))
        for audience in _holders(shape.mask, audiences):
            audience.remove(piece)
        closed.append(piece)
    for shape in after:
        kept = before.get(shape)
        if kept is None:
            holders = _holders(shape.mask, audiences)
            opened_by = causes.last((shape.start, shape.end)).statement_id
            kept = Piece(
                shape.start,
                shape.end,
                holders[0].value(shape.start),
                shape.content,
                shape.mask,
                at,
                opened_by,
            )
            for audience in holders:
                audience.insert(kept)
        elif not _overlaps(kept, dirty):
            continue
        _refresh(kept, at, boxes(shape, audiences, erased), audiences)
    return closed


def _overlaps(piece: Piece, dirty: Sequence[Span]) -> bool:
    """True where the piece overlaps one of the spans, which are in order and apart."""
    place = bisect_left(dirty, (piece.end,))
    return place > 0 and dirty[place - 1][1] > piece.start


def _windows(
    dirty: Sequence[Span], before: Iterable[Shape], audiences: Sequence[Audience]
) -> dict[int, list[Span]]:
    spans: dict[int, list[Span]] = {audience.mask: list(dirty) for audience in audiences}
    for shape in before:
        for audience in _holders(shape.mask, audiences):
            spans[audience.mask].append((shape.start, shape.end))
    return {mask: union(several) for mask, several in spans.items()}


def _holders(mask: int, audiences: Iterable[Audience]) -> list[Audience]:
    return [audience for audience in audiences if mask & audience.mask]


def _show(box: Box, audiences: Iterable[Audience]) -> None:
    for audience in _holders(box.mask, audiences):
        audience.shown[box.supporter.statement].append(box)


def _refresh(piece: Piece, at: int, now: set[BoxShape], audiences: Sequence[Audience]) -> None:
    """Close the boxes that are gone and open those that came."""
    if not now and not piece.boxes:
        return
    open_boxes = {box.shape: box for box in piece.boxes}
    if open_boxes.keys() == now:
        return
    past = piece.past_boxes = piece.past_boxes or []
    for shape in open_boxes.keys() - now:
        box = open_boxes.pop(shape)
        box.recorded_to = at
        past.append(box)
    came = [Box(*shape, at) for shape in now - open_boxes.keys()]
    for box in came:
        _show(box, audiences)
    piece.boxes = [*open_boxes.values(), *came]
