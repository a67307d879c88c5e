"""Every question of the real data sets, asked of graph and lake, no replay.

A data set goes through the line once; both engines read the same home.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from queries.engine import Engine
from queries.lake import LakeMemory
from tests.system.conftest import Lined
from tests.truth import TRUTHS, Truth, Truths, as_known_at, without_valid_at, wrong

pytestmark = pytest.mark.timeout(900)  # the first test of a data set waits for the whole line


@dataclass(frozen=True)
class Case:
    """A data set after the line, and its questions."""

    lined: Lined
    truths: Truths
    every: list[Truth]


@pytest.fixture(scope="module", params=TRUTHS)
def case(request: pytest.FixtureRequest) -> Case:
    """Each data set, by the name of its fixture."""
    truths = TRUTHS[request.param]
    lined: Lined = request.getfixturevalue(request.param)
    return Case(lined, truths, truths.of(lined.data))


@pytest.fixture(params=["graph", "lake"])
def engine(request: pytest.FixtureRequest, case: Case) -> Engine[Any]:
    """Each way to an answer; the second needs no server."""
    home = case.lined.home
    return case.lined.memory if request.param == "graph" else LakeMemory(home.path, home.environ)


def test_every_question_is_answered_exactly(case: Case, engine: Engine[Any]) -> None:
    assert len(case.every) == case.truths.asked
    assert wrong(engine, case.lined.tenant, case.every) == []


def test_a_reading_that_ignores_known_at_fails(case: Case) -> None:
    today = as_known_at(max(one.question.known_at for one in case.every))
    failed = wrong(case.lined.memory, case.lined.tenant, case.every, today)
    assert len(failed) > case.truths.without_known_at * len(case.every)


def test_a_reading_that_ignores_valid_at_fails(case: Case) -> None:
    only = case.truths.dated
    dated = [one for one in case.every if only is None or one.question.predicate in only]
    failed = wrong(case.lined.memory, case.lined.tenant, dated, without_valid_at)
    assert len(failed) > case.truths.without_valid_at * len(dated)


def test_nothing_was_lost(case: Case) -> None:
    assert case.lined.ran.total("landed") == case.truths.landed
    assert case.lined.ran.total("refused") == 0
