"""A key with a long history, much of it undone, is answered as by replay at points drawn by chance.

Long histories take ways through the fold that short ones do not: a list of the segments that may
have to be visited, a search for who painted last, and laying anew only what can show.
"""

from __future__ import annotations

import random

import pytest

from lakehouse.model import axis
from lakehouse.model.fold import fold
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement
from tests.model.test_fold_properties import read
from tests.reference import believed

LISTENERS = Listeners((Listener("registry", sources=frozenset({"registry"})),))
LENGTH = 90
HORIZON = 40
POINTS = 300


def history(chance: random.Random, undone: float, levels: int, erased: float) -> list[Statement]:
    """Statements of one key; a share of them undoes earlier ones, by statement or episode."""
    at, made = 1, list[Statement]()
    for seq in range(LENGTH):
        at += chance.choice((0, 1, 1, 2))
        drawn = chance.random()
        if made and drawn < undone + erased:
            what = _undoing(chance, made, erase=drawn >= undone)
        else:
            what = _said(chance)
        made.append(
            Statement(
                tenant="t",
                statement_id=f"s{seq}",
                recorded_at=at,
                seq=seq,
                episode_id=f"e{seq // 2}",
                trust=chance.randrange(levels),
                source=chance.choice(("chat", "registry")),
                **what,  # type: ignore[arg-type]
            )
        )
    return made


def _said(chance: random.Random) -> dict[str, object]:
    op = chance.choice([Operation.ASSERT] * 8 + [Operation.END, Operation.RETRACT])
    start = chance.choice([chance.randrange(HORIZON)] * 6 + [ALWAYS])
    bounded = max(start, 0) + chance.randrange(1, HORIZON // 2)
    end = chance.choice([UNTIL_CHANGED] * 3 + [FOREVER] + [bounded] * 3)
    value = chance.choice("XYZ") if op is Operation.ASSERT else None
    return {
        "op": op, "subject": "S", "predicate": "state", "object": value,
        "object_kind": "string", "valid_from": start,
        "valid_to": UNTIL_CHANGED if op is Operation.END else end,
    }  # fmt: skip


def _undoing(chance: random.Random, made: list[Statement], erase: bool) -> dict[str, object]:
    aim = chance.choice(made)
    if erase:
        return {"op": Operation.ERASE, "target": aim.statement_id}
    target = chance.choice((aim.statement_id, aim.statement_id, aim.episode_id))
    if chance.random() < 0.6:
        return {"op": Operation.WITHDRAW, "target": target}
    return {"op": Operation.MARK, "target": target, "mark_trust": chance.choice((0, 3))}


@pytest.mark.parametrize("long", [2, axis.LONG])
@pytest.mark.parametrize(
    ("undone", "levels", "erased"), [(0.1, 1, 0.0), (0.4, 1, 0.0), (0.3, 4, 0.0), (0.3, 3, 0.04)]
)
@pytest.mark.parametrize("number", range(6))
def test_a_long_history_is_answered_as_by_replay(
    number: int, undone: float, levels: int, erased: float, long: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(axis, "LONG", long)
    chance = random.Random(number)
    ledger = history(chance, undone, levels, erased)
    folded = fold(ledger, lambda predicate: Cardinality.ONE, LISTENERS)
    for _ in range(POINTS):
        valid_at = chance.randrange(-2, HORIZON + HORIZON // 2)
        known_at = chance.randrange(ledger[-1].recorded_at + 2)
        bit = chance.randrange(len(LISTENERS.rules))
        asked = ("S", "state", valid_at, known_at)
        expected = believed(ledger, Cardinality.ONE, *asked, LISTENERS.rules[bit])
        assert read(folded, *asked, 1 << bit) == expected, asked


def test_what_is_withdrawn_from_right_beneath_joins_what_it_parted() -> None:
    """X, then Y, then X again, Y withdrawn: the first X has been confirmed, not restored."""
    said = [
        Statement(
            tenant="t", statement_id=f"s{n}", op=Operation.ASSERT, recorded_at=n + 1, seq=n,
            episode_id=f"e{n}", subject="S", predicate="state", object=value,
            object_kind="string", valid_from=0,
        )
        for n, value in enumerate("XYX")
    ]  # fmt: skip
    undo = Statement(
        tenant="t", statement_id="w", op=Operation.WITHDRAW, recorded_at=9, seq=9,
        episode_id="ew", target="s1",
    )  # fmt: skip
    folded = fold([*said, undo], lambda predicate: Cardinality.ONE, Listeners())
    (now,) = [belief for belief in folded.beliefs if belief.recorded_to == FOREVER]
    (box,) = [box for box in folded.supports if box.recorded_to == FOREVER]
    assert (now.origin, now.recorded_from, box.statement_id) == ("s0", 9, "s2")


def _aimed(op: Operation, seq: int, **more: object) -> Statement:
    return Statement(
        tenant="t", statement_id=f"u{seq}", op=op, recorded_at=5, seq=seq, episode_id=f"eu{seq}",
        target="s0", trust=3, **more,  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize("marked_last", [True, False])
def test_of_two_that_undo_at_one_instant_the_one_that_changed_something_is_the_cause(
    marked_last: bool,
) -> None:
    said = Statement(
        tenant="t", statement_id="s0", op=Operation.ASSERT, recorded_at=1, seq=0, episode_id="e0",
        subject="S", predicate="state", object="X", object_kind="string", valid_from=0, trust=2,
    )  # fmt: skip
    mark = _aimed(Operation.MARK, 3 if marked_last else 1, mark_trust=2)
    folded = fold(
        [said, mark, _aimed(Operation.WITHDRAW, 2)], lambda predicate: Cardinality.ONE, Listeners()
    )
    assert {(b.reason, b.closed_by) for b in folded.beliefs} == {("withdrawn", "u2")}


@pytest.mark.parametrize(("start", "end"), [(5, 5), (5, 3), (FOREVER, FOREVER),
                                            (FOREVER, UNTIL_CHANGED),
                                            (UNTIL_CHANGED, UNTIL_CHANGED)])  # fmt: skip
def test_a_period_that_holds_no_instant_paints_nothing(start: int, end: int) -> None:
    common = {
        "tenant": "t", "op": Operation.ASSERT, "subject": "S", "predicate": "state",
        "object_kind": "string",
    }  # fmt: skip
    said = [
        Statement(**common, statement_id="s0", recorded_at=1, seq=0, episode_id="e0", object="X",  # type: ignore[arg-type]
                  valid_from=0),
        Statement(**common, statement_id="s1", recorded_at=2, seq=1, episode_id="e1", object="Z",  # type: ignore[arg-type]
                  valid_from=start, valid_to=end),
    ]  # fmt: skip
    (only,) = fold(said, lambda predicate: Cardinality.ONE, Listeners()).beliefs
    assert (only.value, only.valid_from, only.recorded_to) == ("X", 0, FOREVER)
