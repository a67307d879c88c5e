"""Erasing batch after batch leaves in the log what erasing at once leaves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.believe import believe
from lakehouse.memory import MemoryLedger
from lakehouse.model.fold import fold
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.statements import Operation, Statement
from tests.ledgers import LISTENERS, cardinality, ledgers

X, Y = {"object": "X"}, {"object": "Y"}
STORIES: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "two confirmations are forgotten one after the other": [
        (1, X), (2, X | {"valid_from": 5}), (3, {"erase": 0}), (4, {"erase": 1}),
    ],
    "what an erasure closed is opened again by the next": [
        (1, X), (2, X | {"valid_from": 5}), (3, {"erase": 0}), (6, Y), (6, {"erase": 1}),
    ],
    "what made it strict is forgotten": [
        (1, X), (2, X | {"classification": 3}), (4, {"erase": 1}),
    ],
}  # fmt: skip


def told(story: list[tuple[int, dict[str, Any]]]) -> list[Statement]:
    """The statements of a story about one key."""
    made = []
    for seq, (at, what) in enumerate(story):
        common = {
            "tenant": "t", "statement_id": f"s{seq}", "recorded_at": at, "seq": seq,
            "episode_id": f"e{seq}",
        }  # fmt: skip
        if "erase" in what:
            target = f"s{what['erase']}"
            made.append(Statement(**common, op=Operation.ERASE, target=target))  # type: ignore[arg-type]
            continue
        spoken = {
            "op": Operation.ASSERT, "subject": "S", "predicate": "state",
            "object_kind": "string", "valid_from": 0, "valid_to": UNTIL_CHANGED,
        }  # fmt: skip
        made.append(Statement(**{**common, **spoken, **what}))
    return made


def compare(ledger: list[Statement], cuts: set[int]) -> None:
    """Recorded in batches that end at these instants, the log is the fold of the whole."""
    kept = MemoryLedger()
    bounds = sorted({*cuts, ledger[-1].recorded_at})
    done = 0
    for number, bound in enumerate(bounds, start=1):
        batch = [Extracted(s) for s in ledger if done < s.recorded_at <= bound]
        if batch:
            kept.append_statements("t", batch, clock=Clock.ATTESTED, through=number)
            believe(kept, "t", cardinality, LISTENERS)
        done = bound
    whole = fold(kept.statements("t"), cardinality, LISTENERS)
    now = {belief._replace(tightened=()) for belief in kept.beliefs("t")}
    assert now == {belief._replace(tightened=()) for belief in whole.beliefs}
    assert set(kept.supports("t")) == set(whole.supports)


@pytest.mark.parametrize("name", STORIES)
def test_a_story_recorded_one_instant_at_a_time(name: str) -> None:
    ledger = told(STORIES[name])
    compare(ledger, {s.recorded_at for s in ledger})


@given(ledgers(least=6, most=18), st.sets(st.integers(0, 40), max_size=6), st.data())
def test_any_batching_with_several_erasures(
    ledger: list[Statement], cuts: set[int], data: st.DataObject
) -> None:
    at, seq = ledger[-1].recorded_at, len(ledger)
    for number in range(data.draw(st.integers(1, 4))):
        at += data.draw(st.integers(0, 2))
        target = data.draw(st.sampled_from(ledger)).statement_id
        ledger = [
            *ledger,
            Statement(
                tenant="t", statement_id=f"x{number}", op=Operation.ERASE, recorded_at=at,
                seq=seq + number, episode_id=f"ex{number}", target=target,
            ),
        ]  # fmt: skip
        cuts = cuts | {at} if data.draw(st.booleans()) else cuts
    compare(ledger, cuts)
