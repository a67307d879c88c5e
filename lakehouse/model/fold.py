"""The fold: statements of a ledger to beliefs, rectangles that answer every (valid_at, known_at).

Keys do not touch one another: a ledger is grouped by key, withdrawals and marks are settled first
(model.standing), and each key is folded on its own (model.keyfold).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lakehouse.model.beliefs import Belief, Support, identity, key_of
from lakehouse.model.instants import FOREVER
from lakehouse.model.keyfold import fold_key
from lakehouse.model.listeners import Listeners
from lakehouse.model.pieces import Box, Piece
from lakehouse.model.predicates import Cardinality
from lakehouse.model.standing import Standings, Step, standings
from lakehouse.model.statements import ENTITY, PAINTING, Operation, Statement

CardinalityOf = Callable[[str], Cardinality]
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
    ledger = sorted(statements, key=lambda statement: statement.order)
    standing = standings(ledger, listeners)
    by_id = {statement.statement_id: statement for statement in ledger}
    erased = erased_ids(ledger)
    beliefs: list[Belief] = []
    supports: list[Support] = []
    for key, painters in _keys(ledger, cardinality):
        for piece in fold_key(painters, standing, by_id, erased):
            belief, boxes = _belief(piece, key, by_id, standing)
            beliefs.append(belief)
            supports.extend(boxes)
    beliefs.sort(key=lambda belief: (belief.recorded_from, belief.belief_id))
    supports.sort(key=lambda support: (support.recorded_from, support.support_id))
    return Folded(tuple(beliefs), tuple(supports))


def erased_ids(ledger: Sequence[Statement]) -> frozenset[str]:
    """Ids of the statements that an erasure reaches, earlier or later than itself (DESIGN 3.7)."""
    targets = {s.target for s in ledger if s.op is Operation.ERASE}
    if not targets:
        return frozenset()
    return frozenset(s.statement_id for s in ledger if not targets.isdisjoint(_names(s)))


def _names(statement: Statement) -> Iterator[str]:
    yield statement.statement_id
    yield statement.episode_id
    if statement.op in PAINTING:
        yield statement.subject
        if statement.object is not None and statement.object_kind == ENTITY:
            yield statement.object


def _keys(
    ledger: Sequence[Statement], cardinality: CardinalityOf
) -> Iterator[tuple[str, list[Statement]]]:
    """Each key with its painting statements in ledger order; wildcards are in every object's."""
    groups: dict[tuple[str, str, str], list[Statement]] = defaultdict(list)
    for statement in ledger:
        if statement.op in PAINTING:
            groups[statement.tenant, statement.subject, statement.predicate].append(statement)
    for (tenant, subject, predicate), painters in groups.items():
        if cardinality(predicate) is Cardinality.ONE:
            yield key_of(tenant, subject, predicate), painters
            continue
        by_object: dict[str, list[Statement]] = defaultdict(list)
        for painter in painters:
            if painter.object is not None:
                by_object[painter.object].append(painter)
        wildcards = [painter for painter in painters if painter.object is None]
        for object_, own in by_object.items():
            mine = sorted(own + wildcards, key=lambda s: s.order) if wildcards else own
            yield key_of(tenant, subject, predicate, object_), mine


def _belief(
    piece: Piece,
    key: str,
    by_id: Mapping[str, Statement],
    standing: Standings,
) -> tuple[Belief, list[Support]]:
    boxes = [*piece.past_boxes, *piece.boxes.values()]
    shape, content = piece.shape, piece.shape.content
    origin = by_id[content.origin]
    belief_id = identity(key, shape.start, shape.end, piece.recorded_from, shape.mask, *content)
    strictest, tightened = _strictness(piece, boxes, standing)
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
        valid_from=shape.start,
        valid_to=_open_end(shape.end, origin),
        recorded_from=piece.recorded_from,
        recorded_to=piece.recorded_to,
        listeners=shape.mask,
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
    return belief, [_box(belief, box, by_id[box.shape.statement]) for box in boxes]


def _box(belief: Belief, box: Box, statement: Statement) -> Support:
    shape = box.shape
    return Support(
        tenant=belief.tenant,
        support_id=identity(belief.belief_id, box.recorded_from, *shape),
        belief_id=belief.belief_id,
        statement_id=statement.statement_id,
        episode_id=statement.episode_id,
        subject=belief.subject,
        valid_from=shape.start,
        valid_to=belief.valid_to if shape.end == FOREVER else shape.end,
        recorded_from=box.recorded_from,
        recorded_to=box.recorded_to,
        listeners=shape.mask,
        trust=shape.trust,
        classification=shape.classification,
    )


def _open_end(end: int, origin: Statement) -> int:
    """An open end is of the kind that the origin stated; the origin reaches wherever it is on."""
    return origin.valid_to if end == FOREVER else end


def _strictness(piece: Piece, boxes: Sequence[Box], standing: Standings) -> tuple[int, _Tighter]:
    """Strictest classification of origin and supporters up to now, and when it rose (3.6)."""
    rises = _rises(standing[piece.shape.content.origin], piece.recorded_from)
    for box in boxes:
        rises += _rises(standing[box.shape.statement], box.recorded_from)
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
    first = max((n for n, step in enumerate(steps) if step.at <= since), default=0)
    return [
        (max(step.at, since), part.classification)
        for step in steps[first:]
        for part in step.carried
    ]
