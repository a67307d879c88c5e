"""The authored plant history: it says every operation, and the reference gives every answer."""

from __future__ import annotations

import pytest

from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import Operation, Statement
from tests.golden import plant
from tests.reference import believed

LEDGER = plant.ledger()
DECLARED = plant.declaration()
LISTENERS = Listeners(DECLARED.listeners)


def _strictest(supporter: Statement) -> int:
    marks = [
        one.mark_classification
        for one in LEDGER
        if one.target in (supporter.statement_id, supporter.episode_id)
        and one.mark_classification is not None
    ]
    return max([supporter.classification, *marks])


def _readable(answer: dict[str, frozenset[str]], clearance: int) -> dict[str, frozenset[str]]:
    by_id = {one.statement_id: one for one in LEDGER}
    return {
        value: ids
        for value, ids in answer.items()
        if all(_strictest(by_id[one]) <= clearance for one in ids)
    }


def test_every_operation_is_used() -> None:
    assert {one.op for one in LEDGER} == set(Operation)


def test_every_basis_of_a_start_is_used() -> None:
    assert {one.valid_from_basis for one in LEDGER} == {"stated", "occurred", "recorded"}


def test_recorded_instants_never_decrease() -> None:
    instants = [one.recorded_at for one in LEDGER]
    assert instants == sorted(instants)


@pytest.mark.parametrize("asked", plant.questions(), ids=lambda asked: asked.about)
def test_question(asked: plant.Question) -> None:
    bit = LISTENERS.bit(asked.listener)
    answer = believed(
        LEDGER,
        DECLARED.schema.of(asked.predicate).cardinality,
        asked.subject,
        asked.predicate,
        asked.valid_at,
        asked.known_at,
        LISTENERS.rules[bit.bit_length() - 1],
    )
    assert _readable(answer, asked.clearance) == asked.expect
