"""Questions whose answers were taken from a source's own history, for every engine that answers.

A data set's test says how its file reads (`questions`); here is what all of them share.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from queries.memory import Memory, Question

Altered = Callable[[Question], Question]
"""A question as a reader asks it who gets something wrong."""


@dataclass(frozen=True, slots=True)
class Truth:
    """One question and all values that are the answer; `told` is the line of the file."""

    query_id: str
    question: Question
    expected: frozenset[str]
    told: dict[str, Any]


def lines(folder: Path) -> list[dict[str, Any]]:
    """The questions of a data set as they were written."""
    with gzip.open(folder / "truth.jsonl.gz", "rt", encoding="utf-8") as found:
        return [json.loads(line) for line in found]


def wrong(
    memory: Memory, tenant: str, truths: Iterable[Truth], asked: Altered = lambda one: one
) -> list[str]:
    """The ids of the questions that the graph, asked so, answers otherwise."""
    all_of_them = list(truths)
    replies = memory.believed(
        tenant, [asked(one.question) for one in all_of_them], clearance="restricted"
    )
    return [
        one.query_id
        for one, reply in zip(all_of_them, replies, strict=True)
        if set(reply.values) != one.expected
    ]


def as_known_at(instant: int) -> Altered:
    """A reading that ignores what was known when, and always asks at one recorded instant."""
    return lambda one: replace(one, known_at=instant)


def without_valid_at(one: Question) -> Question:
    """A reading that takes what was known at an instant to speak of that instant."""
    return replace(one, valid_at=one.known_at)
