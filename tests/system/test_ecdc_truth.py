"""All 2,722 questions of the ECDC vintages, asked of one projected graph, no replay."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from lakehouse.model.instants import parse
from queries.memory import Question
from tests.system.conftest import Lined

WRONG_BY_VALID_ALONE = 0.30
WRONG_BY_KNOWN_ALONE = 0.80


@pytest.fixture(scope="module")
def truth(ecdc: Lined) -> list[dict[str, Any]]:
    with gzip.open(ecdc.data / "truth.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def wrong(
    ecdc: Lined,
    truth: list[dict[str, Any]],
    valid_at: Callable[[dict[str, Any]], int],
    known_at: Callable[[dict[str, Any]], int],
) -> list[str]:
    """The ids of the questions that the graph, asked so, answers otherwise."""
    replies = ecdc.memory.believed(
        ecdc.tenant,
        [
            Question(one["entity_id"], one["predicate"], valid_at(one), known_at(one))
            for one in truth
        ],
        clearance="restricted",
    )
    return [
        one["query_id"]
        for one, reply in zip(truth, replies, strict=True)
        if set(reply.values) != set(one["expected"])
    ]


def _valid(one: dict[str, Any]) -> int:
    return parse(one["valid_at"])


def _known(one: dict[str, Any]) -> int:
    return parse(one["known_at"])


def test_every_question_is_answered_exactly(ecdc: Lined, truth: list[dict[str, Any]]) -> None:
    assert len(truth) == 2722
    assert wrong(ecdc, truth, _valid, _known) == []


def test_a_reading_that_ignores_known_at_fails(ecdc: Lined, truth: list[dict[str, Any]]) -> None:
    today = max(map(_known, truth))
    assert len(wrong(ecdc, truth, _valid, lambda _: today)) > WRONG_BY_VALID_ALONE * len(truth)


def test_a_reading_that_ignores_valid_at_fails(ecdc: Lined, truth: list[dict[str, Any]]) -> None:
    assert len(wrong(ecdc, truth, _known, _known)) > WRONG_BY_KNOWN_ALONE * len(truth)


def test_nothing_was_lost(ecdc: Lined) -> None:
    assert ecdc.ran.total("landed") == 80_861
    assert ecdc.ran.total("refused") == 0
