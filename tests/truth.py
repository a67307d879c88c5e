"""Questions whose answers were taken from a source's own history, for every engine that answers.

`TRUTHS` says of each data set how its file reads and what a wrong reading must at least get wrong.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from lakehouse.model.instants import parse
from queries.engine import Engine, Question
from tests.shared import QUESTIONS
from tests.tally import ALL

Altered = Callable[[Question], Question]
"""A question as a reader asks it who gets something wrong."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One question and all values that are the answer."""

    query_id: str
    question: Question
    expected: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Truths:
    """A data set's questions in our words, and how much of them a wrong reading gets wrong.

    `prefixes` name the kind of entity before what the file names by bare code, by predicate;
    `listeners` who listens, by the file's type of entity ("" for any other).
    """

    asked: int
    all_records: int
    everyday_records: int
    without_known_at: float
    without_valid_at: float
    dated: frozenset[str] | None = None
    """The predicates whose answer depends on the day that is asked about; None: all."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    listeners: Mapping[str, str] = field(default_factory=dict)

    @property
    def landed(self) -> int:
        """How many records this run lands (`tests.shared.everyday`)."""
        return self.all_records if ALL else self.everyday_records

    def of(self, folder: Path) -> list[Truth]:
        """Every question of the data set."""
        with gzip.open(folder / QUESTIONS, "rt", encoding="utf-8") as found:
            return [self._truth(json.loads(line)) for line in found]

    def _truth(self, one: Mapping[str, Any]) -> Truth:
        predicate = one["predicate"]
        by_default = self.listeners.get("", "trust>=0")
        question = Question(
            one["entity_id"],
            predicate,
            parse(one["valid_at"]),
            parse(one["known_at"]),
            self.listeners.get(one.get("entity_type", ""), by_default),
        )
        prefix = self.prefixes.get(predicate, "")
        return Truth(one["query_id"], question, frozenset(prefix + v for v in one["expected"]))


TRUTHS: Final = {
    "ecdc": Truths(
        asked=2_722,
        all_records=80_861,
        everyday_records=12_664,
        without_known_at=0.30,
        without_valid_at=0.80,
    ),
    "endoflife": Truths(
        asked=1_788,
        all_records=17_019,
        everyday_records=8_564,
        without_known_at=0.55,
        without_valid_at=0.20,
        dated=frozenset({"supported"}),
    ),
    # An executive and a legislator may be one person: each file's questions are asked of the
    # listener that hears it.
    "congress": Truths(
        asked=894,
        all_records=7_257,
        everyday_records=7_257,
        without_known_at=0.40,
        without_valid_at=0.15,
        prefixes={"members": "bioguide:", "committees": "committee:"},
        listeners={"executive": "executive", "": "congress"},
    ),
}


def wrong(
    engine: Engine[Any], tenant: str, truths: Iterable[Truth], asked: Altered = lambda one: one
) -> list[str]:
    """The ids of the questions that the engine, asked so, answers otherwise."""
    every = list(truths)
    replies = engine.believed(tenant, [asked(one.question) for one in every], clearance=3)
    return [
        one.query_id
        for one, reply in zip(every, replies, strict=True)
        if set(reply.values) != one.expected
    ]


def as_known_at(instant: int) -> Altered:
    """A reading that ignores what was known when, and always asks at one recorded instant."""
    return lambda one: replace(one, known_at=instant)


def without_valid_at(one: Question) -> Question:
    """A reading that takes what was known at an instant to speak of that instant."""
    return replace(one, valid_at=one.known_at)
