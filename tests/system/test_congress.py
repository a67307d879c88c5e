"""What the questions about Congress do not ask: one person of both files, heard as one."""

from __future__ import annotations

import pytest

from lakehouse.model.instants import parse
from queries.engine import Question
from tests.system.conftest import Lined

pytestmark = pytest.mark.timeout(900)  # the first test waits for the whole line


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
