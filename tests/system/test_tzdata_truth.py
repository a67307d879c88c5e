"""Random questions over 32 releases of the tz database, answered as `zoneinfo` answers them.

An ordinary run asks fewer of those that take two hops; BELIEFGRAPH_ALL=1 asks 200.
"""

from __future__ import annotations

import pytest

from lakehouse.model.instants import to_datetime
from queries.engine import Question
from tests.system.conftest import Lined
from tests.system.zoneinfo_oracle import Facts, ZoneinfoOracle
from tests.system.zoneinfo_oracle import Question as Asked
from tests.tally import ALL

ONE_HOP, TWO_HOP = 3_000, 200 if ALL else 60
FACTS = ("utc_offset", "abbreviation", "is_dst")
WRONG_WITHOUT_KNOWN_AT = 0.05
WRONG_WITHOUT_VALID_AT = 0.25


@pytest.fixture(scope="module")
def oracle(tzdata: Lined) -> ZoneinfoOracle:
    return ZoneinfoOracle(tzdata.data)


@pytest.fixture(scope="module")
def asked(oracle: ZoneinfoOracle) -> list[Asked]:
    return oracle.random_questions(seed=2026, n=ONE_HOP)


def read(tzdata: Lined, asked: list[Asked]) -> list[tuple[str | None, ...]]:
    """Offset, abbreviation and DST flag for each question, as the graph says."""
    replies = tzdata.memory.believed(
        tzdata.tenant,
        [
            Question(f"zone:{one.subject}", predicate, one.valid_at, one.known_at)
            for one in asked
            for predicate in FACTS
        ],
        clearance="public",
    )
    values = [next(iter(reply.values), None) for reply in replies]
    assert all(len(reply.values) <= 1 for reply in replies)
    return [tuple(values[n : n + 3]) for n in range(0, len(values), 3)]


def told(facts: Facts | None) -> tuple[str | None, ...]:
    """The oracle's facts as the graph writes them."""
    if facts is None:
        return (None, None, None)
    return (facts.utc_offset, facts.abbreviation, str(facts.is_dst).lower())


def wrong(tzdata: Lined, oracle: ZoneinfoOracle, asked: list[Asked], put: list[Asked]) -> int:
    """How many of `asked` are answered otherwise than the oracle when `put` is asked instead."""
    pairs = zip(asked, read(tzdata, put), strict=True)
    return sum(told(oracle.believed(one)) != answer for one, answer in pairs)


def test_every_one_hop_question(tzdata: Lined, oracle: ZoneinfoOracle, asked: list[Asked]) -> None:
    assert len(asked) == ONE_HOP
    for one, answer in zip(asked, read(tzdata, asked), strict=True):
        assert answer == told(oracle.believed(one)), one


def test_a_reading_that_ignores_known_at_fails(
    tzdata: Lined, oracle: ZoneinfoOracle, asked: list[Asked]
) -> None:
    last = max(one.known_at for one in asked)
    put = [Asked(one.subject, one.valid_at, last, one.aim) for one in asked]
    assert wrong(tzdata, oracle, asked, put) > WRONG_WITHOUT_KNOWN_AT * ONE_HOP


def test_a_reading_that_ignores_valid_at_fails(
    tzdata: Lined, oracle: ZoneinfoOracle, asked: list[Asked]
) -> None:
    put = [Asked(one.subject, one.known_at, one.known_at, one.aim) for one in asked]
    assert wrong(tzdata, oracle, asked, put) > WRONG_WITHOUT_VALID_AT * ONE_HOP


def test_every_two_hop_question(tzdata: Lined, oracle: ZoneinfoOracle) -> None:
    questions = oracle.random_two_hop_questions(seed=2026, n=TWO_HOP)
    assert len(questions) == TWO_HOP
    differing = 0
    for one in questions:
        view = tzdata.memory.view(
            tzdata.tenant,
            valid_at=one.valid_at,
            known_at=one.known_at,
            clearance="public",
        )
        answer = view.holders("utc_offset", one.subject, via=["has_zone"])
        found = {path.start for path in answer.paths}
        expected = oracle.countries_believed(one.valid_at, one.known_at, one.subject)
        assert found == expected, (one, to_datetime(one.valid_at))
        differing += bool(expected)
    assert differing > TWO_HOP / 2, "most questions have an answer"
