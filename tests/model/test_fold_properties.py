"""Properties of the fold on random ledgers, against the replay of tests.reference."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.beliefs import Belief, live
from lakehouse.model.changes import changes
from lakehouse.model.fold import Folded, fold
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges
from lakehouse.model.statements import Operation, Statement
from tests.ledgers import (
    HORIZON,
    LISTENERS,
    PREDICATES,
    SUBJECTS,
    cardinality,
    ledgers,
)
from tests.reference import Answer, believed


def read(folded: Folded, subject: str, predicate: str, v: int, k: int, bit: int) -> Answer:
    """The answer off the rectangles."""
    found: Answer = {}
    for belief in folded.beliefs:
        if (belief.subject, belief.predicate) == (subject, predicate) and live(belief, v, k, bit):
            further = {
                s.statement_id
                for s in folded.supports
                if s.belief_id == belief.belief_id and live(s, v, k, bit)
            }
            own = frozenset() if belief.object is None else frozenset({belief.origin} | further)
            assert belief.value not in found or belief.object is None
            found[belief.value] = own
    return found


def boundaries(ledger: list[Statement]) -> list[int]:
    """Valid instants at every bound and to either side."""
    bounds = {s.valid_from for s in ledger} | {s.valid_to for s in ledger} | {0, HORIZON}
    return sorted({b + d for b in bounds if -FOREVER < b < FOREVER - 1 for d in (-1, 0, 1)})


@given(ledgers(), st.sampled_from(range(len(LISTENERS.rules))))
def test_every_boundary_is_answered_as_by_replay(ledger: list[Statement], bit: int) -> None:
    folded = fold(ledger, cardinality, LISTENERS)
    rule = LISTENERS.rules[bit]
    for known_at in sorted({s.recorded_at + d for s in ledger for d in (-1, 0)}):
        for valid_at in boundaries(ledger):
            for subject in SUBJECTS:
                for predicate, kind in PREDICATES.items():
                    asked = (subject, predicate, valid_at, known_at)
                    expected = believed(ledger, kind, *asked, rule)
                    assert read(folded, *asked, 1 << bit) == expected, (asked, rule.name)


@given(ledgers())
def test_rectangles_of_a_key_never_overlap_for_one_listener(ledger: list[Statement]) -> None:
    by_key: dict[str, list[Belief]] = defaultdict(list)
    for belief in fold(ledger, cardinality, LISTENERS).beliefs:
        by_key[belief.key].append(belief)
        assert belief.valid_from < belief.valid_to
        assert belief.recorded_from < belief.recorded_to
        assert (belief.recorded_to == FOREVER) == (belief.reason is None)
    for boxes in by_key.values():
        for n, one in enumerate(boxes):
            for other in boxes[:n]:
                assert not (
                    one.listeners & other.listeners
                    and max(one.valid_from, other.valid_from) < min(one.valid_to, other.valid_to)
                    and max(one.recorded_from, other.recorded_from)
                    < min(one.recorded_to, other.recorded_to)
                )


@given(ledgers())
def test_supports_lie_inside_their_belief(ledger: list[Statement]) -> None:
    folded = fold(ledger, cardinality, LISTENERS)
    by_id = {belief.belief_id: belief for belief in folded.beliefs}
    assert len(by_id) == len(folded.beliefs), "belief ids are unique"
    assert len({s.support_id for s in folded.supports}) == len(folded.supports)
    for box in folded.supports:
        belief = by_id[box.belief_id]
        assert belief.valid_from <= box.valid_from < box.valid_to <= belief.valid_to
        assert belief.recorded_from <= box.recorded_from < box.recorded_to <= belief.recorded_to
        assert box.listeners & ~belief.listeners == 0
        assert box.statement_id != belief.origin


def applied(log: list[BeliefChanges]) -> tuple[set[Belief], set[tuple[str, int]]]:
    """The rectangles that a change log adds up to, without what only later batches can know."""
    beliefs: dict[str, Belief] = {}
    boxes: dict[str, int] = {}
    for batch in log:
        for gone in batch.removed:
            del beliefs[gone]
        for gone in batch.supports_removed:
            del boxes[gone]
        for belief in batch.opened:
            assert belief.belief_id not in beliefs
            beliefs[belief.belief_id] = belief
        for closing in batch.closed:
            old = beliefs[closing.belief_id]
            assert old.recorded_to == FOREVER, "closed once"
            beliefs[closing.belief_id] = old._replace(
                recorded_to=closing.recorded_to,
                closed_by=closing.closed_by,
                reason=closing.reason,
            )
        for tighter in batch.tightened:
            old = beliefs[tighter.belief_id]
            assert tighter.strictest > old.strictest
            beliefs[tighter.belief_id] = old._replace(strictest=tighter.strictest)
        for box in batch.supports_opened:
            assert box.support_id not in boxes
            boxes[box.support_id] = box.recorded_to
        for end in batch.supports_closed:
            assert boxes[end.support_id] == FOREVER, "closed once"
            boxes[end.support_id] = end.recorded_to
    return {b._replace(tightened=()) for b in beliefs.values()}, set(boxes.items())


@given(ledgers(most=18), st.sets(st.integers(0, 40), max_size=6))
def test_any_batching_gives_the_same_rectangles(ledger: list[Statement], cuts: set[int]) -> None:
    log: list[BeliefChanges] = []
    since: int | None = None
    for cut in [*sorted(cuts), 1000]:
        heard = [s for s in ledger if s.recorded_at <= cut]
        log.append(changes(heard, cardinality, LISTENERS, since))
        since = cut
    assert applied(log) == applied([changes(ledger, cardinality, LISTENERS, None)])


@given(ledgers())
def test_an_idle_restatement_changes_no_value(ledger: list[Statement]) -> None:
    folded = fold(ledger, cardinality, LISTENERS)
    last = ledger[-1]
    open_now = [b for b in folded.beliefs if b.recorded_to == FOREVER and b.object is not None]
    again = [
        Statement(
            tenant="t",
            statement_id=f"again{n}",
            op=Operation.ASSERT,
            recorded_at=last.recorded_at + 1,
            seq=last.seq + 1 + n,
            episode_id=f"again-e{n}",
            subject=b.subject,
            predicate=b.predicate,
            object=b.object,
            object_kind=b.object_kind,
            valid_from=b.valid_from,
            valid_to=min(b.valid_to, FOREVER),
            trust=b.trust,
            source="registry",
        )
        for n, b in enumerate(open_now)
        if b.listeners & 1
    ]
    after = fold(ledger + again, cardinality, LISTENERS)
    k = last.recorded_at + 1
    for valid_at in boundaries(ledger):
        for subject in SUBJECTS:
            for predicate in PREDICATES:
                before = read(folded, subject, predicate, valid_at, k, 1)
                assert before.keys() == read(after, subject, predicate, valid_at, k, 1).keys()
