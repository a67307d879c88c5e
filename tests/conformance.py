"""The conformance cases of the belief semantics, read into model statements and questions.

The cases ship in `tests/golden/conformance` (copied; they are written by a reference that shares
nothing with the product). Instants there are plain integers: 1 is 1 microsecond.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement

CASES = Path(__file__).parent / "golden" / "conformance"
TENANT = "conformance"


@dataclass(frozen=True)
class Case:
    """One ledger with its questions as the file has them."""

    title: str
    statements: list[Statement]
    cardinality: Callable[[str], Cardinality]
    listeners: Listeners
    questions: list[dict[str, Any]]
    reach: list[dict[str, Any]]

    def listener(self, question: Mapping[str, Any]) -> int:
        """The bit of the listener that a question names."""
        return self.listeners.bit(listener_name(question))


def cases() -> list[Case]:
    """Named cases, listener cases and hop cases."""
    told = json.loads((CASES / "cases.json").read_text())
    return [_case(case) for kind in ("cases", "listeners", "hops") for case in told[kind]]


def histories() -> Iterator[Case]:
    """The random ledgers."""
    with gzip.open(CASES / "histories.jsonl.gz", "rt") as lines:
        for line in lines:
            told = json.loads(line)
            yield _case(told | {"title": f"history {told['history']}"})


def _case(told: dict[str, Any]) -> Case:
    questions = told.get("questions", [])
    by_source = {
        listener_name(q): Listener(
            listener_name(q), min_trust=q["min_trust"], sources=frozenset(q["sources"])
        )
        for q in questions
        if q.get("sources")
    }
    cardinality = told["cardinality"]
    return Case(
        told["title"],
        [_statement(s) for s in told["statements"]],
        lambda predicate: Cardinality(cardinality[predicate]),
        Listeners(tuple(by_source.values())),
        questions,
        told.get("reach", []),
    )


def listener_name(question: Mapping[str, Any]) -> str:
    """The name under which the question's listener is declared."""
    sources = question.get("sources")
    trust = f"trust>={question['min_trust']}"
    return trust if not sources else trust + " from " + "+".join(sources)


def _statement(told: dict[str, Any]) -> Statement:
    op = Operation(told["op"])
    mark = op is Operation.MARK
    return Statement(
        tenant=TENANT,
        statement_id=told["id"],
        op=op,
        recorded_at=told["recorded_at"],
        seq=told["seq"],
        episode_id=told.get("episode", told["id"]),
        subject=told.get("subject", ""),
        predicate=told.get("predicate", ""),
        object=told.get("object"),
        valid_from=_instant(told.get("valid_from"), ALWAYS),
        valid_to=_instant(
            told.get("valid_to"), FOREVER if op is Operation.RETRACT else UNTIL_CHANGED
        ),
        trust=0 if mark else told.get("trust", 0),
        source=told.get("source", ""),
        target=told.get("target"),
        mark_trust=told["trust"] if mark else None,
    )


def _instant(told: int | str | None, default: int) -> int:
    if told is None:
        return default
    if isinstance(told, str):
        return {"always": ALWAYS, "forever": FOREVER}[told]
    return told
