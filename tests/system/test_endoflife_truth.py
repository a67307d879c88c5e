"""All 1,788 questions of the support windows of endoflife.date, asked of one projected graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakehouse.model.instants import parse
from queries.memory import Question
from tests.system.conftest import Lined
from tests.truth import Truth, as_known_at, lines, without_valid_at, wrong

pytestmark = pytest.mark.timeout(900)  # the first test waits for the whole line

ASKED = 1_788
WRONG_WITHOUT_KNOWN_AT = 0.55
WRONG_WITHOUT_VALID_AT = 0.20
"""Of `supported`, the one predicate whose answer depends on the day that is asked about."""


def questions(folder: Path) -> list[Truth]:
    """Every question of the data set; its words are ours."""
    return [
        Truth(
            one["query_id"],
            Question(
                one["entity_id"],
                one["predicate"],
                parse(one["valid_at"]),
                parse(one["known_at"]),
            ),
            frozenset(one["expected"]),
            one,
        )
        for one in lines(folder)
    ]


@pytest.fixture(scope="module")
def truths(endoflife: Lined) -> list[Truth]:
    return questions(endoflife.data)


def test_every_question_is_answered_exactly(endoflife: Lined, truths: list[Truth]) -> None:
    assert len(truths) == ASKED
    assert wrong(endoflife.memory, endoflife.tenant, truths) == []


def test_a_reading_that_ignores_known_at_fails(endoflife: Lined, truths: list[Truth]) -> None:
    today = as_known_at(max(one.question.known_at for one in truths))
    failed = wrong(endoflife.memory, endoflife.tenant, truths, today)
    assert len(failed) > WRONG_WITHOUT_KNOWN_AT * len(truths)


def test_a_reading_that_ignores_valid_at_fails(endoflife: Lined, truths: list[Truth]) -> None:
    supported = [one for one in truths if one.question.predicate == "supported"]
    failed = wrong(endoflife.memory, endoflife.tenant, supported, without_valid_at)
    assert len(failed) > WRONG_WITHOUT_VALID_AT * len(supported)


def test_an_end_of_no_stated_day_leaves_the_days_before_unknown(endoflife: Lined) -> None:
    """`eol: true` was first said of macOS 12 on 2024-10-04: over by then, since when unknown."""
    known_at = parse("2024-10-04T15:04:39Z")
    days = ["2021-10-24", "2021-10-25", "2024-10-03", "2024-10-04", "2030-01-01"]
    replies = endoflife.memory.believed(
        endoflife.tenant,
        [Question("cycle:macos@12", "supported", parse(day), known_at) for day in days],
        clearance="public",
    )
    assert [[*reply.values] for reply in replies] == [
        ["no"], ["unknown"], ["unknown"], ["no"], ["no"],
    ]  # fmt: skip


def test_nothing_was_lost(endoflife: Lined) -> None:
    assert endoflife.ran.total("landed") == 17_019
    assert endoflife.ran.total("refused") == 0
