"""Belief changes merged: what opens and closes in a range comes as one closed belief.

Changes are given in ledger order. A closing and a tightening of one belief commute, and both
come after its opening, so one pass over each kind is enough. Pure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges, Closing, SupportClosing, Tightening

_Box = TypeVar("_Box", Belief, Support)


def about(found: Iterable[_Box], subjects: Collection[str] | None) -> list[_Box]:
    """Those about one of the subjects; all of them for None."""
    return [one for one in found if subjects is None or one.subject in subjects]


def joined(batches: Iterable[BeliefChanges]) -> BeliefChanges:
    """The batches' changes, one after the other, not yet merged."""
    parts = list(batches)
    return BeliefChanges(
        opened=tuple(row for part in parts for row in part.opened),
        closed=tuple(row for part in parts for row in part.closed),
        tightened=tuple(row for part in parts for row in part.tightened),
        supports_opened=tuple(row for part in parts for row in part.supports_opened),
        supports_closed=tuple(row for part in parts for row in part.supports_closed),
        removed=tuple(name for part in parts for name in part.removed),
        supports_removed=tuple(name for part in parts for name in part.supports_removed),
    )


def merged(changes: BeliefChanges) -> BeliefChanges:
    """Closings and tightenings of beliefs opened here are applied, the others are left.

    What is opened and removed here is not there at all. IntegrityError for a belief or support
    box that is closed twice.
    """
    changes = _without_removed(changes)
    opened, closed, tightened = _beliefs(changes.opened, changes.closed, changes.tightened)
    boxes, boxes_closed = _supports(changes.supports_opened, changes.supports_closed)
    return BeliefChanges(
        opened=opened,
        closed=closed,
        tightened=tightened,
        supports_opened=boxes,
        supports_closed=boxes_closed,
        removed=changes.removed,
        supports_removed=changes.supports_removed,
    )


def _without_removed(changes: BeliefChanges) -> BeliefChanges:
    """Drop what an erasure took back, and keep as removed what was opened before."""
    if not changes.removed and not changes.supports_removed:
        return changes
    gone, gone_boxes = set(changes.removed), set(changes.supports_removed)
    here = {belief.belief_id for belief in changes.opened}
    boxes_here = {box.support_id for box in changes.supports_opened}
    return BeliefChanges(
        opened=tuple(row for row in changes.opened if row.belief_id not in gone),
        closed=tuple(row for row in changes.closed if row.belief_id not in gone),
        tightened=tuple(row for row in changes.tightened if row.belief_id not in gone),
        supports_opened=tuple(
            row for row in changes.supports_opened if row.support_id not in gone_boxes
        ),
        supports_closed=tuple(
            row for row in changes.supports_closed if row.support_id not in gone_boxes
        ),
        removed=tuple(sorted(gone - here)),
        supports_removed=tuple(sorted(gone_boxes - boxes_here)),
    )


def settled(changes: BeliefChanges) -> BeliefChanges:
    """Merged from the beginning: IntegrityError where a change reaches no opened belief."""
    whole = merged(changes)
    loose = [
        *(row.belief_id for row in whole.closed),
        *(row.belief_id for row in whole.tightened),
        *(row.support_id for row in whole.supports_closed),
        *whole.removed,
        *whole.supports_removed,
    ]
    if loose:
        raise IntegrityError(
            f"{len(loose)} belief changes reach nothing that was opened, first {loose[0]}",
            remedy="The lake lacks a batch: compare commits with the tables' rows.",
        )
    return whole


def _beliefs(
    opened: Sequence[Belief], closed: Sequence[Closing], tightened: Sequence[Tightening]
) -> tuple[tuple[Belief, ...], tuple[Closing, ...], tuple[Tightening, ...]]:
    closings = {row.belief_id: row for row in closed}
    if len(closings) != len(closed):
        _doubled([row.belief_id for row in closed])
    if not closings and not tightened:
        return tuple(opened), (), ()
    steps: dict[str, list[Tightening]] = defaultdict(list)
    for row in tightened:
        steps[row.belief_id].append(row)
    here = {belief.belief_id for belief in opened}
    return (
        tuple(_belief(b, closings.get(b.belief_id), steps.get(b.belief_id, ())) for b in opened),
        tuple(row for row in closed if row.belief_id not in here),
        tuple(row for row in tightened if row.belief_id not in here),
    )


def _belief(belief: Belief, closing: Closing | None, steps: Sequence[Tightening]) -> Belief:
    if steps:
        belief = belief._replace(
            strictest=max(belief.strictest, *(step.strictest for step in steps)),
            tightened=belief.tightened + tuple((s.recorded_at, s.strictest) for s in steps),
        )
    if closing is None:
        return belief
    if belief.recorded_to != FOREVER:
        _doubled([belief.belief_id] * 2)
    return belief._replace(
        recorded_to=closing.recorded_to,
        closed_by=closing.closed_by,
        reason=closing.reason,
    )


def _supports(
    opened: Sequence[Support], closed: Sequence[SupportClosing]
) -> tuple[tuple[Support, ...], tuple[SupportClosing, ...]]:
    ends = {row.support_id: row.recorded_to for row in closed}
    if len(ends) != len(closed):
        _doubled([row.support_id for row in closed])
    if not ends:
        return tuple(opened), ()
    here = {box.support_id for box in opened}
    return (
        tuple(_support(box, ends.get(box.support_id)) for box in opened),
        tuple(row for row in closed if row.support_id not in here),
    )


def _support(box: Support, end: int | None) -> Support:
    if end is None:
        return box
    if box.recorded_to != FOREVER:
        _doubled([box.support_id] * 2)
    return box._replace(recorded_to=end)


def _doubled(ids: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise IntegrityError(
                f"{name} is closed twice", remedy="A belief closes once: check the fold's batch."
            )
        seen.add(name)
