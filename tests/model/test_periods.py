"""Allen's thirteen relations on half-open periods: exactly one holds, and its inverse back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.periods import Period, Relation


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start = draw(st.integers(0, 5) | st.just(ALWAYS))
    length = draw(st.integers(1, 4) | st.sampled_from([UNTIL_CHANGED, FOREVER]))
    whole = length if length >= UNTIL_CHANGED else (0 if start == ALWAYS else start) + length
    return Period(start, whole)


HOLDS: dict[Relation, Callable[[int, int, int, int], bool]] = {
    Relation.BEFORE: lambda a, b, c, d: b < c,
    Relation.MEETS: lambda a, b, c, d: b == c,
    Relation.OVERLAPS: lambda a, b, c, d: a < c < b < d,
    Relation.STARTS: lambda a, b, c, d: a == c and b < d,
    Relation.DURING: lambda a, b, c, d: c < a and b < d,
    Relation.FINISHES: lambda a, b, c, d: c < a and b == d,
    Relation.EQUALS: lambda a, b, c, d: a == c and b == d,
    Relation.FINISHED_BY: lambda a, b, c, d: a < c and b == d,
    Relation.CONTAINS: lambda a, b, c, d: a < c and d < b,
    Relation.STARTED_BY: lambda a, b, c, d: a == c and d < b,
    Relation.OVERLAPPED_BY: lambda a, b, c, d: c < a < d < b,
    Relation.MET_BY: lambda a, b, c, d: d == a,
    Relation.AFTER: lambda a, b, c, d: d < a,
}
"""Allen's definitions, bound by bound, in words of their own."""


@given(periods(), periods())
def test_exactly_one_relation_holds(one: Period, other: Period) -> None:
    bounds = (one.start, one.reach, other.start, other.reach)
    assert [name for name, holds in HOLDS.items() if holds(*bounds)] == [one.relation(other)]


@given(periods(), periods())
def test_seen_from_the_other_side_it_is_the_inverse(one: Period, other: Period) -> None:
    assert other.relation(one) is one.relation(other).inverse
    assert one.relation(other).inverse.inverse is one.relation(other)


@given(periods(), periods(), st.integers(-1, 12))
def test_the_common_period_holds_what_both_hold(one: Period, other: Period, instant: int) -> None:
    common = one.common(other)
    both = one.holds(instant) and other.holds(instant)
    assert (common is not None and common.holds(instant)) == both
    apart = {Relation.BEFORE, Relation.MEETS, Relation.MET_BY, Relation.AFTER}
    assert (common is None) == (one.relation(other) in apart)


def test_every_relation_occurs() -> None:
    some = [Period(a, b) for a in range(4) for b in range(a + 1, 5)]
    assert {one.relation(other) for one in some for other in some} == set(Relation)
    assert len(Relation) == 13


def test_a_period_holds_its_start_and_not_its_end() -> None:
    period = Period(10, 20)
    assert [instant for instant in (9, 10, 19, 20) if period.holds(instant)] == [10, 19]


def test_both_open_ends_reach_equally_far() -> None:
    assert Period(1, UNTIL_CHANGED).relation(Period(1, FOREVER)) is Relation.EQUALS


@pytest.mark.parametrize(("start", "end"), [(1, 1), (2, 1), (UNTIL_CHANGED, FOREVER)])
def test_an_empty_period_is_refused(start: int, end: int) -> None:
    with pytest.raises(InputError, match="is empty"):
        Period(start, end)
