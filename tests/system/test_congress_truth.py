"""All 894 questions about members of Congress, asked of one projected graph.

The questions name members and committees by their bare code; in the graph they are entities, so
the code gets the prefix of its kind. An executive and a legislator may be one person: what either
file said is asked of the listener that hears that file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lakehouse.model.instants import parse
from queries.memory import Question
from tests.system.conftest import Lined
from tests.truth import Truth, as_known_at, lines, without_valid_at, wrong

pytestmark = pytest.mark.timeout(900)  # the first test waits for the whole line

ASKED = 894
WRONG_WITHOUT_KNOWN_AT = 0.40
WRONG_WITHOUT_VALID_AT = 0.15
PREFIXES = {"members": "bioguide:", "committees": "committee:"}
LISTENERS = {"executive": "executive"}


def questions(folder: Path) -> list[Truth]:
    """Every question of the data set, in our words."""
    return [
        Truth(
            one["query_id"],
            Question(
                one["entity_id"],
                one["predicate"],
                parse(one["valid_at"]),
                parse(one["known_at"]),
                LISTENERS.get(one["entity_type"], "congress"),
            ),
            frozenset(PREFIXES.get(one["predicate"], "") + value for value in one["expected"]),
            one,
        )
        for one in lines(folder)
    ]


@pytest.fixture(scope="module")
def truths(congress: Lined) -> list[Truth]:
    return questions(congress.data)


def test_every_question_is_answered_exactly(congress: Lined, truths: list[Truth]) -> None:
    assert len(truths) == ASKED
    assert wrong(congress.memory, congress.tenant, truths) == []


def test_a_reading_that_ignores_known_at_fails(congress: Lined, truths: list[Truth]) -> None:
    today = as_known_at(max(one.question.known_at for one in truths))
    failed = wrong(congress.memory, congress.tenant, truths, today)
    assert len(failed) > WRONG_WITHOUT_KNOWN_AT * len(truths)


def test_a_reading_that_ignores_valid_at_fails(congress: Lined, truths: list[Truth]) -> None:
    failed = wrong(congress.memory, congress.tenant, truths, without_valid_at)
    assert len(failed) > WRONG_WITHOUT_VALID_AT * len(truths)


def test_a_person_of_two_files_is_heard_as_one_by_whoever_listens_to_all(congress: Lined) -> None:
    days = ["2020-01-01", "2021-04-19"]
    known_at = parse("2021-01-20T16:52:23Z"), parse("2020-06-01T00:00:00Z")
    asked = [
        Question("bioguide:H001075", "serves_in", parse(day), known, listener)
        for day in days
        for known in known_at
        for listener in ("trust>=0", "congress", "executive")
    ]
    replies = congress.memory.believed(congress.tenant, asked, clearance="public")
    assert [sorted(reply.values) for reply in replies] == [
        [], [], [], ["sen:CA/3"], ["sen:CA/3"], [],
        ["viceprez"], [], ["viceprez"], ["sen:CA/3"], ["sen:CA/3"], [],
    ]  # fmt: skip


def test_nothing_was_lost(congress: Lined) -> None:
    """Two of the landed versions could not be read by their publisher: they say nothing."""
    assert congress.ran.total("landed") == 7_257
    assert congress.ran.total("refused") == 0
