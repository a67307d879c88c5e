"""Every engine gives every golden answer, and at every boundary the answer of the replay.

A sample in an ordinary run, all of it with BELIEFGRAPH_ALL=1 (`make exhaustive`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from neo4j import Driver

from graph.server import Connection
from tests.engines import Engine, FoldEngine, ReplayEngine, Telling, compare
from tests.golden import collected
from tests.golden.collected import Golden
from tests.graph_engine import GraphEngine, LineEngine
from tests.histories import MOST_CLEARANCE, everywhere, sample
from tests.lake_engine import LakeEngine
from tests.tally import ALL, Tally

HISTORIES = None if ALL else 40
"""Of the 300 random ones."""
BOUNDARIES = None if ALL else 5_000
LINES = None if ALL else 12
"""Histories that go through the whole line."""


@pytest.fixture(scope="module")
def golden() -> list[Golden]:
    return collected.everything(HISTORIES)


@pytest.fixture(scope="module")
def graph(
    golden: list[Golden], neo4j_driver: Driver, neo4j_connection: Connection
) -> Iterator[GraphEngine]:
    with GraphEngine(neo4j_driver, neo4j_connection.database) as engine:
        engine.load([one.history for one in golden])
        yield engine


@pytest.fixture(scope="module")
def fold(golden: list[Golden]) -> FoldEngine:
    engine = FoldEngine()
    engine.load([one.history for one in golden])
    return engine


@pytest.fixture(scope="module")
def replay(golden: list[Golden]) -> ReplayEngine:
    engine = ReplayEngine()
    engine.load([one.history for one in golden])
    return engine


@pytest.fixture(scope="module")
def lake(golden: list[Golden]) -> LakeEngine:
    engine = LakeEngine()
    engine.load([one.history for one in golden])
    return engine


@pytest.fixture(params=["replay", "fold", "graph", "lake"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    found: Engine = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=["fold", "graph"])
def telling(request: pytest.FixtureRequest) -> Telling:
    """Each engine that keeps rectangles."""
    found: Telling = request.getfixturevalue(request.param)
    return found


def test_every_golden_answer(engine: Engine, golden: list[Golden], tally: Tally) -> None:
    asked = list(collected.questions(golden))
    if isinstance(engine, ReplayEngine):
        asked = [one for one in asked if one[0].clearance == MOST_CLEARANCE]
    questions = [question for question, _ in asked]
    wrong = compare(questions, engine.ask(questions), [answer for _, answer in asked])
    assert not wrong, wrong[:3]
    tally.tell("golden questions", len(asked))


def test_every_golden_path(engine: Engine, golden: list[Golden], tally: Tally) -> None:
    asked = [one for each in golden for one in each.paths]
    found = engine.reach([question for question, _ in asked])
    for (question, expected), reached in zip(asked, found, strict=True):
        assert reached == expected, question
    tally.tell("golden path questions", len(asked))


def test_what_was_seen_then(telling: Telling, golden: list[Golden], tally: Tally) -> None:
    asked = [one for each in golden for one in each.told]
    for question, expected in asked:
        assert telling.told(question) == expected, question
    tally.tell("golden histories", len(asked))


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("engine", ["fold", "graph", "lake"], indirect=True)
def test_every_boundary_as_by_replay(
    engine: Engine, replay: ReplayEngine, golden: list[Golden], tally: Tally
) -> None:
    boundaries = [question for one in golden for question in everywhere(one.history)]
    questions = sample(boundaries, BOUNDARIES)
    wrong = compare(questions, engine.ask(questions), replay.ask(questions))
    assert not wrong, wrong[:3]
    tally.tell(f"of {len(boundaries):,} boundary questions", len(questions))


@pytest.mark.timeout(7200)
def test_the_whole_line_batch_after_batch(
    replay: ReplayEngine,
    golden: list[Golden],
    neo4j_driver: Driver,
    neo4j_connection: Connection,
    tally: Tally,
) -> None:
    through = sample([one for one in golden if one.history.tenant != "plant"], LINES)
    with LineEngine(neo4j_driver, neo4j_connection.database) as line:
        line.load([one.history for one in through])
        asked = list(collected.questions(through))
        questions = [question for question, _ in asked]
        wrong = compare(questions, line.ask(questions), [answer for _, answer in asked])
        assert not wrong, wrong[:3]
        beside = sample([q for one in through for q in everywhere(one.history)], BOUNDARIES)
        wrong = compare(beside, line.ask(beside), replay.ask(beside))
        assert not wrong, wrong[:3]
        for one in through:
            for told, expected in one.told:
                assert line.told(told) == expected, told
    tally.tell(f"questions of {len(through)} histories", len(asked) + len(beside))
