"""The fold: statements of a ledger to beliefs, rectangles that answer every (valid_at, known_at).

Keys do not touch one another: a ledger is grouped by key, withdrawals and marks are settled first
(model.standing), and each key is folded on its own: by model.appending where statements were
only ever added for one audience, else by model.keyfold.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter

from lakehouse.model.appending import fold_additions
from lakehouse.model.beliefs import Belief, Support, identity, key_of
from lakehouse.model.erasures import Erasures
from lakehouse.model.instants import FOREVER
from lakehouse.model.keyfold import fold_key
from lakehouse.model.listeners import Listeners
from lakehouse.model.pieces import Box, Piece
from lakehouse.model.predicates import Cardinality
from lakehouse.model.standing import Standings, Step
from lakehouse.model.statements import Operation, Statement

CardinalityOf = Callable[[str], Cardinality]
Key = tuple[str, ...]
"""(tenant, subject, predicate) and, where the predicate holds many, the object."""
_ERASED = attrgetter("erased")
_Tighter = tuple[tuple[int, int], ...]
"""(recorded instant, classification carried from then on), ascending."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What follows from a ledger, in an order that depends on the ledger alone."""

    beliefs: tuple[Belief, ...]
    supports: tuple[Support, ...]


def fold(
    statements: Iterable[Statement], cardinality: CardinalityOf, listeners: Listeners
) -> Folded:
    """Fold one tenant's statements, of any number of keys.

    The withdrawals, marks and erasures that reach them must be among the statements, and for a
    key every statement of it. Rule: DESIGN section 3.
    """
    ledger = in_order(statements)
    by_id = {statement.statement_id: statement for statement in ledger}
    beliefs: list[Belief] = []
    supports: list[Support] = []
    with without_collection():
        standing = Standings(ledger, listeners)
        for key, pieces, generation in fold_keys(ledger, cardinality, listeners, standing):
            name = key_of(*key)
            for piece in pieces:
                belief, boxes = _belief(piece, name, generation, by_id, standing)
                beliefs.append(belief)
                supports.extend(boxes)
    beliefs.sort(key=lambda belief: (belief.recorded_from, belief.belief_id))
    supports.sort(key=lambda support: (support.recorded_from, support.support_id))
    return Folded(tuple(beliefs), tuple(supports))


@contextmanager
def without_collection() -> Iterator[None]:
    """Leave cyclic garbage alone: millions of values without a cycle would be searched for one.

    Searching took two fifths of a fold's time.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def in_order(statements: Iterable[Statement]) -> list[Statement]:
    """The statements in ledger order."""
    return sorted(statements, key=attrgetter("recorded_at", "seq"))


def fold_keys(
    ledger: Sequence[Statement],
    cardinality: CardinalityOf,
    listeners: Listeners,
    standing: Standings,
) -> Iterator[tuple[Key, list[Piece], int]]:
    """Each key with its pieces and its generation (model.erasures).

    The ledger is in ledger order and settled in `standing`.
    """
    by_id: dict[str, Statement] = {}
    erasures = Erasures(ledger)
    for key, painters in _keys(ledger, cardinality):
        erased = erasures.of(painters)
        mask = None if erased.ids else _common_mask(painters, listeners, standing)
        if mask is not None:
            yield key, fold_additions(painters, mask), 0
            continue
        by_id = by_id or {statement.statement_id: statement for statement in ledger}
        yield key, fold_key(painters, standing, by_id, erased.ids), erased.generation


def _common_mask(
    painters: Sequence[Statement], listeners: Listeners, standing: Standings
) -> int | None:
    """The listeners that hear all of them while nobody else hears any; None: not so simple."""
    if standing.any_undone(painters) or any(map(_ERASED, painters)):
        return None
    kinds = {(p.trust, p.classification, p.source, p.tags) for p in painters}
    masks = {listeners.mask(*kind) for kind in kinds}
    return masks.pop() if len(masks) == 1 else None


def _keys(
    ledger: Sequence[Statement], cardinality: CardinalityOf
) -> Iterator[tuple[Key, list[Statement]]]:
    """Each key with its painting statements in ledger order; wildcards are in every object's.

    One whose period is empty paints nothing and is left out.
    """
    groups: dict[tuple[str, str, str], list[Statement]] = defaultdict(list)
    asserts, ends, retracts = Operation.ASSERT, Operation.END, Operation.RETRACT
    for statement in ledger:
        op = statement.op
        if (op is asserts or op is ends or op is retracts) and statement.reaches:
            groups[statement.tenant, statement.subject, statement.predicate].append(statement)
    for key, painters in groups.items():
        if cardinality(key[2]) is Cardinality.ONE:
            yield key, painters
            continue
        by_object: dict[str, list[Statement]] = defaultdict(list)
        for painter in painters:
            if painter.object is not None:
                by_object[painter.object].append(painter)
        wildcards = [painter for painter in painters if painter.object is None]
        for object_, own in by_object.items():
            yield (*key, object_), in_order(own + wildcards) if wildcards else own


def _belief(
    piece: Piece,
    key: str,
    generation: int,
    by_id: Mapping[str, Statement],
    standing: Standings,
) -> tuple[Belief, list[Support]]:
    boxes = [*piece.past_boxes, *piece.boxes] if piece.past_boxes else piece.boxes
    content = piece.content
    origin = by_id[content.origin]
    told = (key, piece.start, piece.end, piece.recorded_from, piece.mask, *content)
    belief_id = identity(*told, generation) if generation else identity(*told)
    strictest, tightened = _strictness(piece, boxes, by_id, standing)
    belief = Belief(
        tenant=origin.tenant,
        belief_id=belief_id,
        key=key,
        subject=origin.subject,
        predicate=origin.predicate,
        object=None if content.erased else origin.object,
        object_kind=origin.object_kind,
        subject_type=origin.subject_type,
        object_type=origin.object_type,
        valid_from=piece.start,
        valid_to=_open_end(piece.end, origin),
        recorded_from=piece.recorded_from,
        recorded_to=piece.recorded_to,
        heard_at=origin.recorded_at,
        listeners=piece.mask,
        origin=origin.statement_id,
        episode_id=origin.episode_id,
        valid_from_basis=origin.valid_from_basis,
        trust=content.trust,
        classification=content.classification,
        strictest=strictest,
        tightened=tightened,
        opened_by=piece.opened_by,
        closed_by=piece.closed_by,
        reason=piece.reason,
    )
    return belief, [_box(belief, box, by_id[box.supporter.statement]) for box in boxes]


def _box(belief: Belief, box: Box, statement: Statement) -> Support:
    return Support(
        tenant=belief.tenant,
        support_id=identity(
            belief.belief_id, box.recorded_from, box.start, box.end, *box.supporter, box.mask
        ),
        belief_id=belief.belief_id,
        statement_id=statement.statement_id,
        episode_id=statement.episode_id,
        subject=belief.subject,
        valid_from=box.start,
        valid_to=belief.valid_to if box.end == FOREVER else box.end,
        recorded_from=box.recorded_from,
        recorded_to=box.recorded_to,
        heard_at=statement.recorded_at,
        listeners=box.mask,
        trust=box.supporter.trust,
        classification=box.supporter.classification,
    )


def _open_end(end: int, origin: Statement) -> int:
    """An open end is of the kind that the origin stated; the origin reaches wherever it is on."""
    return origin.valid_to if end == FOREVER else end


def _strictness(
    piece: Piece, boxes: Sequence[Box], by_id: Mapping[str, Statement], standing: Standings
) -> tuple[int, _Tighter]:
    """Strictest classification of origin and supporters up to now, and when it rose (3.6)."""
    rises = _rises(standing.of(by_id[piece.content.origin]), piece.recorded_from)
    for box in boxes:
        rises += _rises(standing.of(by_id[box.supporter.statement]), box.recorded_from)
    if len(rises) == 1:
        return rises[0][1], ()
    strictest, tightened = -1, []
    for at, level in sorted(rises):
        if level > strictest:
            if strictest >= 0 and at > piece.recorded_from:
                tightened.append((at, level))
            strictest = level
    return strictest, tuple(tightened)


def _rises(steps: Sequence[Step], since: int) -> list[tuple[int, int]]:
    """The level in force at `since` and every later one, as (instant, level)."""
    if len(steps) == 1:
        return [(since, part.classification) for part in steps[0].carried]
    first = max((n for n, step in enumerate(steps) if step.at <= since), default=0)
    return [
        (max(step.at, since), part.classification)
        for step in steps[first:]
        for part in step.carried
    ]
