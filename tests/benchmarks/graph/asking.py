"""The reads of the table: what is asked, of whom, at which pair of instants, and by which goal.

Questions are drawn by a seeded script. The pairs of instants lie all over the recorded time in
which a thing is known, half of them inside the window in which its history came about.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from queries.answers import Answer
from queries.differences import Differences
from queries.streaming import States
from queries.view import View
from tests.benchmarks.graph.histories import (
    BEGIN,
    DAY,
    GROUPS,
    HUB,
    QUIET,
    READING,
    SEED,
    SENSOR,
    STORIED_EVERY,
    WINDOW,
    WORKS_FOR,
    Shape,
    is_storied,
    thing,
    told_from,
)
from tests.benchmarks.graph.rectangles import Asked
from tests.benchmarks.tables import verdict

Told = Answer | Differences | States


def count_told(told: Told) -> int:
    """How many beliefs, or differences, an answer tells."""
    if isinstance(told, States):
        return len(told.subject)
    return len(told.changes if isinstance(told, Differences) else told.beliefs)


@dataclass(frozen=True, slots=True)
class Goal:
    """At most so many times `RETURN 1`, or so many seconds; 0 where none was set."""

    times: float = 0.0
    seconds: float = 0.0

    def told(self, taken: float, floor: float) -> tuple[str, str]:
        """In words, and whether the figure meets it; nothing where none was set."""
        if self.times:
            return f"{self.times:g} x RETURN 1", verdict(taken > self.times * floor)
        if self.seconds:
            return f"{self.seconds * 1_000:g} ms", verdict(taken > self.seconds)
        return "", ""


@dataclass(frozen=True, slots=True)
class Read:
    """One kind of read. `ruled` and `plain` name statements that ask the same in plain Cypher.

    `sql` names what gives the same answer in DuckDB; `links` gives the steps a path may go.
    """

    name: str
    goal: Goal
    sql: str
    ask: Callable[[View, Asked], Told]
    draw: Callable[[Draw], Asked]
    ruled: str = ""
    plain: str = ""
    count: int = 400


class Draw:
    """Draws questions about the set, the same ones every time; each read has its own chance."""

    def __init__(self, shape: Shape, watermark: int, name: str) -> None:
        self.shape, self.watermark = shape, watermark
        self.chance = random.Random(f"{SEED} {name}")

    def thing(self, *, storied: bool = False) -> int:
        """A thing's number; of those with much history only, or of the others only."""
        number = self.chance.randrange(self.shape.things)
        if storied:
            return number // STORIED_EVERY * STORIED_EVERY
        return min(number + 1, self.shape.things - 1) if is_storied(number) else number

    def at(self, number: int) -> tuple[int, int]:
        """A pair of instants at which the thing is known."""
        group = next(g for g in range(GROUPS) if number in self.shape.members(g))
        start = told_from(group)
        end = start + WINDOW if self.chance.random() < 0.5 else self.watermark
        known_at = self.chance.randrange(start, max(start + 1, min(end, self.watermark)))
        return self.chance.randrange(start, known_at + 1), known_at

    def anywhere(self) -> tuple[int, int]:
        """Any pair of instants of the whole history."""
        known_at = self.chance.randrange(BEGIN + DAY, self.watermark)
        return self.chance.randrange(BEGIN + DAY, known_at + 1), known_at


def of_thing(
    predicates: Sequence[str | None] = (None,), *, storied: bool = False, hops: int = 1
) -> Callable[[Draw], Asked]:
    """Draws a thing, one of the predicates and a pair of instants."""

    def draw(draw: Draw) -> Asked:
        number = draw.thing(storied=storied)
        return Asked(thing(number), draw.chance.choice(predicates), *draw.at(number), hops=hops)

    return draw


def of_two_moments(draw: Draw) -> Asked:
    """Draws a thing and two pairs of instants, the later one first."""
    number = draw.thing()
    (valid_at, known_at), (valid_then, known_then) = sorted(
        (draw.at(number), draw.at(number)), key=lambda pair: -pair[1]
    )
    return Asked(
        thing(number), None, valid_at, known_at, valid_then=valid_then, known_then=known_then
    )


def of_episode(draw: Draw) -> Asked:
    """Draws a thing's first episode, or its second, which confirms or changes it where there is."""
    number = draw.thing()
    version = draw.chance.choice((1, 1, 1, 2))
    return Asked(f"registry/{thing(number)}/{version}", None, *draw.at(number))


def of(entity: str, predicate: str | None = None) -> Callable[[Draw], Asked]:
    """Draws a pair of instants for one entity."""
    return lambda draw: Asked(entity, predicate, *draw.anywhere())


def _beliefs(view: View, asked: Asked) -> Answer:
    return view.beliefs(asked.entity, asked.predicate)


def _key(view: View, asked: Asked) -> Answer:
    return view.key(asked.entity, asked.predicate or "")


def _diff(view: View, asked: Asked) -> Differences:
    return view.diff(asked.entity, valid_at=asked.valid_then, known_at=asked.known_then)


def _paths(view: View, asked: Asked) -> Answer:
    return view.paths(asked.entity, asked.hops)


def _history(view: View, asked: Asked) -> Answer:
    return view.history(asked.entity, asked.predicate or "")


DENSE: Final = "key of many versions"
_KEYS: Final = (QUIET, "value_1", "value_2", WORKS_FOR)
_POINT: Final = Goal(times=1.5)
_BELIEFS: Final = ("ruled_beliefs", "plain_beliefs")
_REACHED: Final = ("ruled_reached", "plain_reached")

READS: Final = (
    Read("key", _POINT, "beliefs", _key, of_thing(_KEYS), *_BELIEFS),
    Read("beliefs of one predicate", _POINT, "beliefs", _beliefs, of_thing(_KEYS), *_BELIEFS),
    Read("entity: its beliefs", _POINT, "beliefs", _beliefs, of_thing(), *_BELIEFS),
    Read(
        "entity: and what names it", _POINT, "entity",
        lambda view, asked: view.entity(asked.entity), of_thing(),
    ),
    Read("1 hop: paths", _POINT, "links", _paths, of_thing(), *_REACHED),
    Read(
        "1 hop: neighbours", _POINT, "neighbours",
        lambda view, asked: view.neighbours(asked.entity), of_thing(),
    ),
    Read("2 hops: paths", Goal(times=2.0), "links", _paths, of_thing(hops=2), *_REACHED),
    Read("3 hops: paths", Goal(times=2.5), "links", _paths, of_thing(hops=3), *_REACHED),
    Read(DENSE, Goal(seconds=0.0011), "beliefs", _key, of(SENSOR, READING), *_BELIEFS),
    Read("the same from its entity", Goal(), "beliefs", _beliefs, of(SENSOR, READING)),
    Read("history of a key", Goal(seconds=0.001), "history", _history, of_thing(_KEYS)),
    Read("diff of an entity", Goal(seconds=0.001), "diff", _diff, of_two_moments),
    Read(
        "everything from an episode", Goal(seconds=0.0015), "episode",
        lambda view, asked: view.episode(asked.entity), of_episode,
    ),
    Read(
        "quiet key, ordinary thing", _POINT, "beliefs", _beliefs, of_thing([QUIET]), *_BELIEFS,
    ),
    Read(
        "quiet key, 10x the history", _POINT, "beliefs", _beliefs,
        of_thing([QUIET], storied=True), *_BELIEFS,
    ),
    Read(
        "1 hop, 10x the history", _POINT, "links", _paths, of_thing(storied=True), *_REACHED,
    ),
)  # fmt: skip
HUB_READS: Final = (
    Read(
        "entity of many neighbours, columns", Goal(seconds=0.045), "beliefs",
        lambda view, asked: view.columns(asked.entity), of(HUB),
        "ruled_columns", "plain_columns", 20,
    ),
    Read("the same with evidence", Goal(), "beliefs", _beliefs, of(HUB), count=10),
)  # fmt: skip


def questions(read: Read, shape: Shape, watermark: int, number: int) -> list[Asked]:
    """So many questions of a read at any pair of instants."""
    draw = Draw(shape, watermark, read.name)
    return [read.draw(draw) for _ in range(number)]


def trials(read: Read, shape: Shape, watermark: int, number: int) -> list[Asked]:
    """Questions to check answers with: some anywhere at all, some for a reader of less."""
    draw = Draw(shape, watermark, f"{read.name}, tried")
    drawn = [read.draw(draw) for _ in range(number)]
    for at, one in enumerate(drawn):
        if at % 4 == 1:
            valid_at, known_at = draw.anywhere()
            then = min(one.known_then, known_at)
            drawn[at] = replace(one, valid_at=valid_at, known_at=known_at, known_then=then)
        if at % 4 == 2:
            drawn[at] = replace(one, clearance=0, listener=1 << draw.chance.randrange(4))
    return drawn
