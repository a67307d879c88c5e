"""What the questions of endoflife.date do not ask: an end that was stated without its day."""

from __future__ import annotations

import pytest

from lakehouse.model.instants import parse
from queries.engine import Question
from tests.system.conftest import Lined

pytestmark = pytest.mark.timeout(900)  # the first test waits for the whole line


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
