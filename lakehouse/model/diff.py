"""What became different between two instants: newly believed, no longer believed, changed.

A state is what beliefs come to for one listener at one `known_at`, coalesced: which value each
key has over which stretch of the valid axis, whoever says so and however often it was cut. The
kind of an open end is no part of it (it tells how later statements paint, not what is so), nor
is anything a belief carries. `diff` compares two states stretch by stretch, and

    apply(state(k1), diff(state(k1), state(k2))) == state(k2)        diff(state(k), state(k)) == ()

`moment` looks at one `valid_at`; its facts span the whole axis, so the same `diff` compares two
valid instants, two known ones, or two pairs. Leave out beforehand what the reader may not see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeVar

from lakehouse.model.beliefs import Belief
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED


class Subject(NamedTuple):
    """Whom a fact is about: a key, and the parts that name it."""

    subject: str
    predicate: str
    key: str


class Value(NamedTuple):
    """A believed value as read; an erased one has the kind `erased`."""

    kind: str
    text: str


class Fact(NamedTuple):
    """Over `[valid_from, valid_to)` the subject has this value; open ends are `FOREVER`."""

    about: Subject
    valid_from: int
    valid_to: int
    value: Value


State = tuple[Fact, ...]  # of one listener, in order; those of one subject do not overlap


class Change(NamedTuple):
    """Over `[valid_from, valid_to)` the value was `before` and is `after`; None: nothing."""

    about: Subject
    valid_from: int
    valid_to: int
    before: Value | None
    after: Value | None

    @property
    def kind(self) -> str:
        """`newly believed`, `no longer believed` or `changed`."""
        if self.before is None:
            return "newly believed"
        return "no longer believed" if self.after is None else "changed"


_Span = TypeVar("_Span", Fact, Change)
_Other = TypeVar("_Other", Fact, Change)


def state(beliefs: Iterable[Belief], known_at: int, listener: int) -> State:
    """What these beliefs come to at `known_at` for the listener with that bit."""
    return _coalesced(
        _fact(b)
        for b in beliefs
        if b.recorded_from <= known_at < b.recorded_to and b.listeners & listener
    )


def moment(beliefs: Iterable[Belief], valid_at: int, known_at: int, listener: int) -> State:
    """What they come to at one pair of instants; each fact is written over the whole axis."""
    return tuple(
        fact._replace(valid_from=ALWAYS, valid_to=FOREVER)
        for fact in state(beliefs, known_at, listener)
        if fact.valid_from <= valid_at < fact.valid_to
    )


def diff(before: State, after: State) -> tuple[Change, ...]:
    """The maximal stretches on which the two states differ, in order."""
    old, new = _steps(before), _steps(after)
    return tuple(
        Change(about, start, end, one and one.value, other and other.value)
        for about in sorted(old.keys() | new.keys())
        for start, end, one, other in _side_by_side(old.get(about, {}), new.get(about, {}))
        if (one and one.value) != (other and other.value)
    )


def apply(before: State, changes: Iterable[Change]) -> State:
    """The state with the changes made to it: theirs where they speak, its own elsewhere."""
    own, theirs = _steps(before), _steps(changes)
    return _coalesced(
        Fact(about, start, end, value)
        for about in own.keys() | theirs.keys()
        for start, end, fact, change in _side_by_side(own.get(about, {}), theirs.get(about, {}))
        if (value := change.after if change else fact and fact.value) is not None
    )


def _steps(spans: Iterable[_Span]) -> dict[Subject, dict[int, _Span | None]]:
    """For each subject, what holds from each bound on; the spans of one do not overlap."""
    steps: defaultdict[Subject, dict[int, _Span | None]] = defaultdict(dict)
    for span in sorted(spans):
        steps[span.about][span.valid_from] = span
        steps[span.about][span.valid_to] = None
    return steps


def _side_by_side(
    one: Mapping[int, _Span | None], other: Mapping[int, _Other | None]
) -> Iterator[tuple[int, int, _Span | None, _Other | None]]:
    """Both sides between every two bounds."""
    left: _Span | None = None
    right: _Other | None = None
    for start, end in pairwise(sorted(one.keys() | other.keys())):
        left, right = one.get(start, left), other.get(start, right)
        yield start, end, left, right


def _coalesced(facts: Iterable[Fact]) -> State:
    merged: list[Fact] = []
    for fact in sorted(facts):
        last = merged[-1] if merged else fact
        if (last.about, last.valid_to, last.value) == (fact.about, fact.valid_from, fact.value):
            merged[-1] = last._replace(valid_to=fact.valid_to)
        else:
            merged.append(fact)
    return tuple(merged)


def _fact(belief: Belief) -> Fact:
    about = Subject(belief.subject, belief.predicate, belief.key)
    value = Value("erased" if belief.object is None else belief.object_kind, belief.value)
    valid_to = FOREVER if belief.valid_to >= UNTIL_CHANGED else belief.valid_to
    return Fact(about, belief.valid_from, valid_to, value)
