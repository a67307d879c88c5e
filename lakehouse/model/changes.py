"""What a batch changes: the fold of the touched keys, cut at the instant already recorded.

Rectangles are a function of the ledger, so what earlier batches recorded is the part of today's
fold that began by then. Only an erasure reaches back: then the old fold is compared by id, and
every rectangle of a key that it reached has a new one (model.erasures).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lakehouse.model.beliefs import Belief
from lakehouse.model.fold import CardinalityOf, Folded, fold
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges, Closing, SupportClosing, Tightening
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import Operation, Statement


def changes(
    statements: Sequence[Statement],
    cardinality: CardinalityOf,
    listeners: Listeners,
    since: int | None,
) -> BeliefChanges:
    """Changes after recorded instant `since` (µs UTC; None: nothing is recorded yet).

    `statements` are all of the touched keys with what reaches them, old and new.
    """
    now = fold(statements, cardinality, listeners)
    if since is None:
        return BeliefChanges(opened=now.beliefs, supports_opened=now.supports)
    if any(s.op is Operation.ERASE and s.recorded_at > since for s in statements):
        earlier = [s for s in statements if s.recorded_at <= since]
        return _by_difference(fold(earlier, cardinality, listeners), now, since)
    return _by_instant(now, since)


def _by_instant(now: Folded, since: int) -> BeliefChanges:
    known = [belief for belief in now.beliefs if belief.recorded_from <= since]
    return BeliefChanges(
        opened=tuple(belief for belief in now.beliefs if belief.recorded_from > since),
        closed=tuple(_closings(known, since)),
        tightened=tuple(_tightenings(known, since)),
        supports_opened=tuple(box for box in now.supports if box.recorded_from > since),
        supports_closed=tuple(
            SupportClosing(box.support_id, box.recorded_to)
            for box in now.supports
            if box.recorded_from <= since < box.recorded_to < FOREVER
        ),
    )


def _closings(known: Iterable[Belief], since: int) -> Iterable[Closing]:
    for belief in known:
        if since < belief.recorded_to < FOREVER:
            assert belief.closed_by is not None and belief.reason is not None
            yield Closing(belief.belief_id, belief.recorded_to, belief.closed_by, belief.reason)


def _tightenings(known: Iterable[Belief], since: int) -> Iterable[Tightening]:
    for belief in known:
        if belief.tightened and belief.tightened[-1][0] > since:
            yield Tightening(belief.belief_id, *belief.tightened[-1])


def _by_difference(before: Folded, now: Folded, since: int) -> BeliefChanges:
    old = {belief.belief_id for belief in before.beliefs}
    old_boxes = {box.support_id for box in before.supports}
    still = {belief.belief_id for belief in now.beliefs}
    still_boxes = {box.support_id for box in now.supports}
    kept = Folded(
        tuple(belief for belief in now.beliefs if belief.belief_id in old),
        tuple(box for box in now.supports if box.support_id in old_boxes),
    )
    rest = _by_instant(kept, since)
    return BeliefChanges(
        opened=tuple(belief for belief in now.beliefs if belief.belief_id not in old),
        closed=rest.closed,
        tightened=rest.tightened,
        supports_opened=tuple(box for box in now.supports if box.support_id not in old_boxes),
        supports_closed=rest.supports_closed,
        removed=tuple(sorted(old - still)),
        supports_removed=tuple(sorted(old_boxes - still_boxes)),
    )
