"""A history is one tenant's ledger with all that is needed to ask about it; questions are values.

Whatever writes histories (conformance, diaries, the plant, random ledgers) gives these, and
whatever answers them (tests.engines) takes these.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple, TypeVar

from lakehouse.model.fold import CardinalityOf
from lakehouse.model.instants import is_open
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import PAINTING, Statement

MOST_CLEARANCE: Final = 3
_Q = TypeVar("_Q")


@dataclass(frozen=True)
class History:
    """One tenant's ledger, with its predicates and listeners."""

    tenant: str
    statements: tuple[Statement, ...]
    cardinality: CardinalityOf
    listeners: Listeners
    title: str = ""


class Asked(NamedTuple):
    """What is believed of (subject, predicate) at a pair of instants, for a named listener?"""

    tenant: str
    subject: str
    predicate: str
    valid_at: int
    known_at: int
    listener: str = "trust>=0"
    clearance: int = MOST_CLEARANCE


class Reached(NamedTuple):
    """What is reached from an entity in 1 to `hops` believed steps, with the fewest?"""

    tenant: str
    start: str
    hops: int
    valid_at: int
    known_at: int
    listener: str = "trust>=0"


class Told(NamedTuple):
    """Which rectangles of (subject, predicate) does one see who knows what was known then?"""

    tenant: str
    subject: str
    predicate: str
    known_at: int
    listener: str = "trust>=0"


Answer = dict[str, frozenset[str]]
"""Each believed value with the ids of its supporting statements; `<erased>` has none."""


class Rectangle(NamedTuple):
    """A belief as seen from some `known_at`: what closed it later is absent."""

    value: str
    valid_from: int
    valid_to: int
    recorded_from: int
    recorded_to: int


def everywhere(history: History) -> Iterator[Asked]:
    """Every key and listener, at every boundary and 1 µs to either side, on both axes."""
    painters = [s for s in history.statements if s.op in PAINTING]
    keys = sorted({(s.subject, s.predicate) for s in painters})
    valid = around(bound for s in painters for bound in (s.valid_from, s.valid_to))
    known = around(s.recorded_at for s in history.statements)
    for (subject, predicate), v, k, rule in product(keys, valid, known, history.listeners.rules):
        yield Asked(history.tenant, subject, predicate, v, k, rule.name)


def paths_everywhere(history: History, hops: int) -> Iterator[Reached]:
    """From every entity, at every boundary (the instant before and the instant itself)."""
    painters = [s for s in history.statements if s.op in PAINTING]
    starts = sorted({s.subject for s in painters})
    valid = around((b for s in painters for b in (s.valid_from, s.valid_to)), (-1, 0))
    known = around((s.recorded_at for s in history.statements), (-1, 0))
    for start, v, k, rule in product(starts, valid, known, history.listeners.rules):
        yield Reached(history.tenant, start, hops, v, k, rule.name)


def around(bounds: Iterable[int], steps: Sequence[int] = (-1, 0, 1)) -> list[int]:
    """Real instants at these bounds and beside them, in order; one instant if all are open."""
    real = {bound + step for bound in bounds if not is_open(bound) for step in steps}
    return sorted(real) or [0]


def sample(questions: Sequence[_Q], most: int | None, seed: int = 4) -> list[_Q]:
    """At most so many of the questions, the same ones every time; None: all."""
    if most is None or len(questions) <= most:
        return list(questions)
    return random.Random(seed).sample(questions, most)
