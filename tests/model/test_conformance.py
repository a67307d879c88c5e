"""The fold answers every conformance question, asked against the whole history in one go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from lakehouse.model.beliefs import live
from lakehouse.model.fold import Folded, fold
from tests.conformance import Case, cases, histories


def answer(folded: Folded, case: Case, question: dict[str, Any]) -> dict[str, list[str]]:
    """Believed values with their supporters, read off the rectangles."""
    at = (question["valid_at"], question["known_at"], case.listener(question))
    found: dict[str, list[str]] = {}
    for belief in folded.beliefs:
        asked = (question["subject"], question["predicate"])
        if (belief.subject, belief.predicate) == asked and live(belief, *at):
            if belief.object is None:
                found.setdefault(belief.value, [])
                continue
            further = [
                s.statement_id
                for s in folded.supports
                if s.belief_id == belief.belief_id and live(s, *at)
            ]
            assert belief.value not in found, "two beliefs of one value at one instant pair"
            found[belief.value] = sorted([belief.origin, *further])
    return found


def wrong(each: Iterable[Case]) -> tuple[int, list[str]]:
    """Number of questions asked, and those answered wrongly."""
    asked, bad = 0, []
    for case in each:
        folded = fold(case.statements, case.cardinality, case.listeners)
        for question in case.questions:
            asked += 1
            got = answer(folded, case, question)
            if got != {value: sorted(ids) for value, ids in question["expect"].items()}:
                bad.append(f"{case.title}: {question} got {got}")
    return asked, bad


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_named_case(case: Case) -> None:
    asked, bad = wrong([case])
    assert not bad
    assert asked == len(case.questions)


def test_random_histories() -> None:
    asked, bad = wrong(histories())
    assert not bad, bad[:3]
    assert asked == 300 * 60
