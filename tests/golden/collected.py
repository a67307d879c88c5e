"""All golden histories with their expected answers, in one shape, whatever notation they are in."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from lakehouse import model
from lakehouse.model.listeners import Listeners
from tests import conformance, diary
from tests.golden import plant
from tests.histories import Answer, Asked, History, Reached, Rectangle, Told

FOLDER = Path(__file__).parent
RULES = Path(model.__file__).with_name("README.md")


@dataclass(frozen=True)
class Golden:
    """One history and what must be answered about it."""

    history: History
    questions: list[tuple[Asked, Answer]] = field(default_factory=list)
    paths: list[tuple[Reached, dict[str, int]]] = field(default_factory=list)
    told: list[tuple[Told, frozenset[Rectangle]]] = field(default_factory=list)


def diaries() -> list[Golden]:
    """The cases of `*.diary`, and those that the rules' own page works out."""
    return [
        Golden(case.history(), case.questions, case.paths, case.told)
        for case in [*diary.cases(FOLDER), *diary.shown(RULES)]
    ]


def named_cases() -> list[Golden]:
    """The named cases of the conformance set: beliefs, listeners and hops."""
    return [_conformance(f"case-{n}", case) for n, case in enumerate(conformance.cases())]


def random_histories(most: int | None = None) -> list[Golden]:
    """The conformance set's random histories: all, or a fixed choice of so many."""
    found = [_conformance(f"history-{n}", case) for n, case in enumerate(conformance.histories())]
    return found if most is None else random.Random(4).sample(found, most)


def the_plant() -> Golden:
    """The authored plant history; some of its questions are asked with a clearance."""
    declared = plant.declaration()
    history = History(
        "plant",
        tuple(replace(s, tenant="plant") for s in plant.ledger()),
        lambda predicate: declared.schema.of(predicate).cardinality,
        Listeners(declared.listeners),
        "the plant",
    )
    questions = [
        (
            Asked("plant", q.subject, q.predicate, q.valid_at, q.known_at, q.listener, q.clearance),
            q.expect,
        )
        for q in plant.questions()
    ]
    return Golden(history, questions)


def everything(random_: int | None = None) -> list[Golden]:
    """All of it; of the random histories so many."""
    return [*diaries(), *named_cases(), the_plant(), *random_histories(random_)]


def questions(each: Iterable[Golden]) -> Iterator[tuple[Asked, Answer]]:
    """All questions of these histories."""
    return chain.from_iterable(golden.questions for golden in each)


def _conformance(tenant: str, case: conformance.Case) -> Golden:
    said = tuple(replace(s, tenant=tenant) for s in case.statements)
    return Golden(
        History(tenant, said, case.cardinality, case.listeners, case.title),
        [
            (
                Asked(tenant, q["subject"], q["predicate"], q["valid_at"], q["known_at"],
                      conformance.listener_name(q)),
                {value: frozenset(ids) for value, ids in q["expect"].items()},
            )
            for q in case.questions
        ],
        [
            (
                Reached(tenant, q["start"], q["hops"], q["valid_at"], q["known_at"],
                        conformance.listener_name(q)),
                q["expect"],
            )
            for q in case.reach
        ],
    )  # fmt: skip
