"""The short way through a key that is only ever added to gives the pieces of the long one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model import appending, axis
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.keyfold import fold_key
from lakehouse.model.listeners import Listeners
from lakehouse.model.pieces import Piece
from lakehouse.model.standing import Standings
from lakehouse.model.statements import Operation, Statement

LISTENERS = Listeners()
HORIZON = 12
_BOUNDS = st.integers(0, HORIZON)


@st.composite
def additions(draw: st.DrawFn, most: int) -> list[Statement]:
    """Statements of one key that one audience hears, with ties in `recorded_at`."""
    at, made = 1, []
    for seq in range(draw(st.integers(1, most))):
        at += draw(st.integers(0, 2))
        op = draw(st.sampled_from([Operation.ASSERT] * 5 + [Operation.END, Operation.RETRACT]))
        start = draw(_BOUNDS | st.just(ALWAYS))
        bounded = st.integers(max(start, 0), HORIZON + 4)
        open_ends = [UNTIL_CHANGED, UNTIL_CHANGED, FOREVER]
        made.append(
            Statement(
                tenant="t",
                statement_id=f"s{seq}",
                op=op,
                recorded_at=at,
                seq=seq,
                episode_id=f"e{seq // 2}",
                subject="S",
                predicate="state",
                object=draw(st.sampled_from("XYZ")) if op is Operation.ASSERT else None,
                object_kind="string",
                valid_from=start,
                valid_to=draw(bounded | st.sampled_from(open_ends)),
                trust=1,
                classification=draw(st.integers(0, 3)),
            )
        )
    return [statement for statement in made if statement.reaches]


def _plain(pieces: list[Piece]) -> list[tuple[Any, ...]]:
    """Pieces as values, supporters with them, in an order of their own."""
    return sorted(
        (
            piece.shape,
            piece.value,
            (piece.recorded_from, piece.recorded_to),
            (piece.opened_by, piece.closed_by or "", piece.reason or ""),
            sorted(
                (box.shape, box.recorded_from, box.recorded_to)
                for box in [*(piece.past_boxes or ()), *piece.boxes]
            ),
        )
        for piece in pieces
    )


def _both(ledger: list[Statement]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    by_id = {statement.statement_id: statement for statement in ledger}
    short = appending.fold_additions(ledger, LISTENERS.mask(1, 0, "", ()))
    return _plain(short), _plain(fold_key(ledger, Standings(ledger, LISTENERS), by_id, frozenset()))


@given(additions(most=14))
def test_additions_fold_as_any_ledger_does(ledger: list[Statement]) -> None:
    short, whole = _both(ledger)
    assert short == whole


@pytest.fixture
def soon_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """An axis counts as long from its third segment on."""
    monkeypatch.setattr(axis, "LONG", 2)


@pytest.mark.usefixtures("soon_long")
def test_a_long_axis_folds_as_a_short_one() -> None:
    @given(additions(most=14))
    def holds(ledger: list[Statement]) -> None:
        short, whole = _both(ledger)
        assert short == whole

    holds()


def test_a_history_told_at_one_instant_is_opened_by_what_says_it() -> None:
    """A batch of thousands of statements of one key has one recorded instant."""
    told = [
        Statement(
            tenant="t", statement_id=f"s{n}", op=Operation.ASSERT, recorded_at=1, seq=n,
            episode_id="e", subject="S", predicate="state", object=f"v{n % 3}",
            object_kind="string", valid_from=10 * n,
        )
        for n in range(2_000)
    ]  # fmt: skip
    pieces = appending.fold_additions(told, 1)
    assert [(p.start, p.end, p.opened_by) for p in pieces] == [
        (10 * n, 10 * (n + 1) if n < 1_999 else FOREVER, f"s{n}") for n in range(2_000)
    ]
