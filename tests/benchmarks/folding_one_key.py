"""One key that everything is said about: told once, then restated whole five times.

Plain, or by withdrawing what was said and saying it again, marks among it. The reference is the
time of the first telling in the same run; where withdrawals come later the first telling is
folded in the same way, with its last statement withdrawn.
"""

from __future__ import annotations

from typing import Any, Final

from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.statements import Operation, Statement
from tests.benchmarks.folding import best, rectangles
from tests.benchmarks.tables import Column, Table, Value, seconds, tenths, whole

FIRST: Final = 100_000
IN_ALL: Final = 600_000
_DAY: Final = 86_400_000_000
_MARKED: Final = 100
"""One restatement in so many is marked, in turns to where fewer and where more listeners hear."""


class History:
    """What was said about the key, one statement an instant."""

    def __init__(self, bounded: bool) -> None:
        self.bounded = bounded
        self.said: list[Statement] = []
        self._last: dict[int, str] = {}

    def say(self, period: int) -> None:
        """Say what held in a period of a day."""
        end = (period + 1) * _DAY if self.bounded else UNTIL_CHANGED
        self._last[period] = self._add(
            Operation.ASSERT,
            subject="S",
            predicate="value",
            object=f"v{period % 3}",
            object_kind="string",
            valid_from=period * _DAY,
            valid_to=end,
        )

    def withdraw(self, period: int) -> None:
        """Withdraw what was said last of the period."""
        self._add(Operation.WITHDRAW, target=self._last[period])

    def mark(self, period: int, trust: int) -> None:
        """Mark what was said last of the period."""
        self._add(Operation.MARK, target=self._last[period], mark_trust=trust)

    def _add(self, op: Operation, **what: Any) -> str:
        place = len(self.said)
        name = f"s{place}"
        self.said.append(
            Statement(
                tenant="t",
                statement_id=name,
                op=op,
                recorded_at=place + 1,
                seq=place,
                episode_id=f"e{place}",
                trust=2,
                source="bench",
                **what,
            )
        )
        return name


def one_key_table(first: int = FIRST, in_all: int = IN_ALL) -> Table:
    """Time of the restated key over the time of the first telling."""
    rows: list[tuple[Value, ...]] = []
    for bounded in (False, True):
        rows.append(_row(bounded, first, in_all, False))
        rows.append(_row(bounded, first, in_all, True))
    columns = (
        Column("periods", "periods"),
        Column("restated", "restated"),
        Column("first", "first_statements", whole),
        Column("CPU s", "first_cpu", seconds),
        Column("in all", "statements", whole),
        Column("CPU s", "cpu", seconds),
        Column("times", "times", tenths),
        Column("rectangles", "rectangles", whole),
    )
    notes = [f"one statement an instant; one restatement in {_MARKED} is marked in the pairs"]
    return Table("fold: one key, restated whole", columns, rows, notes)


def _row(bounded: bool, first: int, in_all: int, pairs: bool) -> tuple[Value, ...]:
    history = History(bounded)
    for period in range(first):
        history.say(period)
    if pairs:
        alone = History(bounded)
        alone.said = list(history.said)
        alone._last = {first - 1: history.said[-1].statement_id}
        alone.withdraw(first - 1)
        told = alone.said
    else:
        told = list(history.said)
    turn = 0
    while len(history.said) < in_all:
        period = turn % first
        if pairs:
            history.withdraw(period)
        history.say(period)
        if pairs and turn % _MARKED == 0:
            history.mark(period, (1, 3)[turn // _MARKED % 2])
        turn += 1
    once, _ = best(lambda: rectangles(told), 1)
    taken, (pieces,) = best(lambda: rectangles(history.said), 1)
    return (
        "bounded" if bounded else "until changed",
        "withdrawn and said again" if pairs else "plainly",
        first, once, len(history.said), taken, taken / once, len(pieces),
    )  # fmt: skip
