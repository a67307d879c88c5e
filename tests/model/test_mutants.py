"""Every deliberately wrong fold and query is caught by the golden cases (tests.mutants).

Folds are asked all named cases; queries, in a real Neo4j, the diaries that were written for one
of their mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from neo4j import Driver

from graph.server import Connection
from tests.engines import FoldEngine, Telling
from tests.golden import collected
from tests.golden.collected import Golden
from tests.graph_engine import GraphEngine
from tests.mutants import FOLDS, QUERIES, Mutant, forget_texts
from tests.tally import Tally

DIARIES = collected.diaries()
CASES = [*DIARIES, *collected.named_cases()]
FEW = [one for one in DIARIES if one.history.title in {mutant.caught_by for mutant in QUERIES}]


def caught(engine: Telling, cases: list[Golden]) -> list[str]:
    """The titles of the cases that get a wrong answer."""
    told = engine.ask([question for question, _ in collected.questions(cases)])
    answers = iter(told)
    found: list[str] = []
    for case in cases:
        wrong = [next(answers) != expected for _, expected in case.questions]
        reached = engine.reach([question for question, _ in case.paths])
        wrong += [got != expected for got, (_, expected) in zip(reached, case.paths, strict=True)]
        wrong += [engine.told(question) != expected for question, expected in case.told]
        if any(wrong):
            found.append(case.history.title)
    return found


def loaded() -> FoldEngine:
    engine = FoldEngine()
    engine.load([case.history for case in CASES])
    return engine


@pytest.fixture(scope="module")
def graph(neo4j_driver: Driver, neo4j_connection: Connection) -> Iterator[GraphEngine]:
    with GraphEngine(neo4j_driver, neo4j_connection.database) as engine:
        engine.load([case.history for case in FEW])
        yield engine


@pytest.fixture
def patch() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as found:
        yield found
    forget_texts()


def test_the_right_ones_are_not_caught(graph: GraphEngine) -> None:
    assert caught(loaded(), CASES) == []
    assert caught(graph, FEW) == []


@pytest.mark.parametrize("mutant", FOLDS, ids=lambda mutant: mutant.name)
def test_a_wrong_fold_is_caught(
    mutant: Mutant, patch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    tally = Tally(request)
    mutant.make(patch)
    found = caught(loaded(), CASES)
    assert mutant.caught_by in found
    tally.tell(f"of {len(CASES)} cases catch it, as does {mutant.caught_by!r}", len(found))


@pytest.mark.parametrize("mutant", QUERIES, ids=lambda mutant: mutant.name)
def test_a_wrong_query_is_caught(
    mutant: Mutant,
    patch: pytest.MonkeyPatch,
    graph: GraphEngine,
    request: pytest.FixtureRequest,
) -> None:
    tally = Tally(request)
    mutant.make(patch)
    found = caught(graph, FEW)
    assert mutant.caught_by in found
    tally.tell(f"of {len(FEW)} cases catch it, as does {mutant.caught_by!r}", len(found))
