"""Believe, batch after batch over a real ledger, records what one fold of everything gives.

Kinds of fault this holds: what reaches a subject only indirectly (a withdrawal of a withdrawal, an
erasure of an entity that it names as object) forgotten when the subject is folded again.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lakehouse.believe import believe
from lakehouse.memory import MemoryLedger
from lakehouse.model.beliefs import Belief
from lakehouse.model.fold import fold
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.statements import Operation, Statement
from tests.ledgers import LISTENERS, cardinality, ledgers

TENANT = "t"


def believed(ledger: MemoryLedger) -> set[Belief]:
    return {belief._replace(tightened=()) for belief in ledger.beliefs(TENANT)}


def hear(ledger: MemoryLedger, statements: list[Statement], through: int) -> None:
    ledger.append_statements(
        TENANT, [Extracted(s) for s in statements], clock=Clock.ATTESTED, through=through
    )
    believe(ledger, TENANT, cardinality, LISTENERS)


@given(ledgers(most=16), st.sets(st.integers(1, 30), max_size=5))
def test_batches_record_what_one_fold_gives(told: list[Statement], cuts: set[int]) -> None:
    ledger = MemoryLedger()
    since = 0
    for number, cut in enumerate([*sorted(cuts), 1_000], start=1):
        batch = [s for s in told if since < s.recorded_at <= cut]
        since = cut
        if batch:
            hear(ledger, batch, number)
    whole = fold(ledger.statements(TENANT), cardinality, LISTENERS)
    assert believed(ledger) == {belief._replace(tightened=()) for belief in whole.beliefs}
    assert set(ledger.supports(TENANT)) == set(whole.supports)


def test_an_erased_object_stays_erased_when_its_subject_is_spoken_of_again() -> None:
    def boss(number: int, name: str) -> Statement:
        return Statement(
            tenant=TENANT,
            statement_id=f"s{number}",
            op=Operation.ASSERT,
            recorded_at=number,
            seq=number,
            episode_id=f"e{number}",
            subject="S",
            predicate="tags",
            object=name,
            valid_from=0,
        )

    erasure = Statement(
        tenant=TENANT, statement_id="x", op=Operation.ERASE, recorded_at=2, seq=2,
        episode_id="ex", target="BOB",
    )  # fmt: skip
    ledger = MemoryLedger()
    hear(ledger, [boss(1, "BOB")], 1)
    hear(ledger, [erasure], 2)
    hear(ledger, [boss(3, "CARL")], 3)
    hear(ledger, [boss(4, "BOB")], 4)
    assert {belief.value for belief in ledger.beliefs(TENANT)} == {"<erased>", "CARL"}


def test_an_erasure_of_an_entity_spares_literals_that_read_alike() -> None:
    literal = Statement(
        tenant=TENANT, statement_id="s", op=Operation.ASSERT, recorded_at=1, seq=1,
        episode_id="e", subject="S", predicate="state", object="42", object_kind="integer",
        valid_from=0,
    )  # fmt: skip
    erasure = Statement(
        tenant=TENANT, statement_id="x", op=Operation.ERASE, recorded_at=2, seq=2,
        episode_id="ex", target="42",
    )  # fmt: skip
    found = fold([literal, erasure], cardinality, LISTENERS)
    assert [belief.value for belief in found.beliefs] == ["42"]
