"""A diff is exactly what leads from one state to the other, on random ledgers and by example."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.beliefs import Belief, live
from lakehouse.model.diff import State, apply, diff, moment, state
from lakehouse.model.fold import fold
from lakehouse.model.instants import ALWAYS, FOREVER
from lakehouse.model.statements import Statement
from tests import diary
from tests.ledgers import HORIZON, LISTENERS, cardinality, ledgers

INSTANT = st.integers(-1, HORIZON + 9)
BITS = st.sampled_from([1 << bit for bit in range(len(LISTENERS.rules))])


def rectangles(ledger: list[Statement]) -> tuple[Belief, ...]:
    return fold(ledger, cardinality, LISTENERS).beliefs


def at(facts: State, valid_at: int) -> set[tuple[str, str]]:
    return {(f.about.key, f.value.text) for f in facts if f.valid_from <= valid_at < f.valid_to}


@given(ledgers(), INSTANT, INSTANT, BITS)
def test_a_state_and_a_diff_give_the_other_state(
    ledger: list[Statement], k1: int, k2: int, bit: int
) -> None:
    found = rectangles(ledger)
    one, other = state(found, k1, bit), state(found, k2, bit)
    assert apply(one, diff(one, other)) == other
    assert apply(other, diff(other, one)) == one


@given(ledgers(), INSTANT, BITS)
def test_nothing_differs_from_itself(ledger: list[Statement], k: int, bit: int) -> None:
    found = rectangles(ledger)
    assert diff(state(found, k, bit), state(found, k, bit)) == ()
    assert apply(state(found, k, bit), ()) == state(found, k, bit)


@given(ledgers(), INSTANT, INSTANT, INSTANT, INSTANT, BITS)
def test_two_pairs_of_instants(
    ledger: list[Statement], v1: int, k1: int, v2: int, k2: int, bit: int
) -> None:
    found = rectangles(ledger)
    one, other = moment(found, v1, k1, bit), moment(found, v2, k2, bit)
    assert apply(one, diff(one, other)) == other
    assert {(f.about.key, f.value.text) for f in one} == {
        (b.key, b.value) for b in found if live(b, v1, k1, bit)
    }


@given(ledgers(), INSTANT, INSTANT, BITS)
def test_a_change_says_what_was_and_what_is(
    ledger: list[Statement], k1: int, k2: int, bit: int
) -> None:
    found = rectangles(ledger)
    one, other = state(found, k1, bit), state(found, k2, bit)
    changes = diff(one, other)
    for earlier, later in pairwise(changes):
        assert earlier.about < later.about or earlier.valid_to <= later.valid_from
    for valid_at in range(-1, HORIZON + 9):
        here = [c for c in changes if c.valid_from <= valid_at < c.valid_to]
        gone = {(c.about.key, c.before.text) for c in here if c.before}
        came = {(c.about.key, c.after.text) for c in here if c.after}
        assert at(one, valid_at) - gone | came == at(other, valid_at)


@given(ledgers(), INSTANT, BITS)
def test_a_state_is_coalesced(ledger: list[Statement], k: int, bit: int) -> None:
    for one, other in pairwise(state(rectangles(ledger), k, bit)):
        if one.about == other.about:
            assert one.valid_to <= other.valid_from
            assert one.valid_to < other.valid_from or one.value != other.value


def test_the_three_kinds_of_change() -> None:
    (case,) = diary.parse(
        """
        case ann moves
        1  ann works_at acme from 0 to 20
        1  bob works_at acme from 0
        2  ann works_at bolt from 10 to 20
        2  ann lives_in oslo from 5
        2  retract bob works_at from 30
        2  bob works_at acme from 0 to 8
        """
    )
    found = fold(case.statements, case.cardinality(), case.listeners).beliefs
    told = [
        (c.kind, c.about.subject, c.about.predicate, c.valid_from, c.valid_to,
         c.before and c.before.text, c.after and c.after.text)
        for c in diff(state(found, 1, 1), state(found, 2, 1))
    ]  # fmt: skip
    assert told == [
        ("newly believed", "ann", "lives_in", 5, FOREVER, None, "oslo"),
        ("changed", "ann", "works_at", 10, 20, "acme", "bolt"),
        ("no longer believed", "bob", "works_at", 30, FOREVER, "acme", None),
    ]
    between = diff(moment(found, 9, 2, 1), moment(found, 10, 2, 1))
    assert [(c.kind, c.about.subject, c.valid_from) for c in between] == [
        ("changed", "ann", ALWAYS)
    ]
