"""The fold alone, without lake or server: statements a CPU second, by statements a key.

Two figures: rectangles as the fold makes them (periods, listeners, origin, confirmations, closing
statement and reason), and the values that a lake or graph takes, with their ids. The reference is
the making of the same statements as values, in the same run: it is what any fold in this language
pays before it has begun.
"""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Final, TypeVar

from lakehouse.model.fold import Folded, fold, fold_keys, in_order, without_collection
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.listeners import Listeners
from lakehouse.model.pieces import Piece
from lakehouse.model.predicates import Cardinality
from lakehouse.model.standing import Standings
from lakehouse.model.statements import Operation, Statement
from tests.benchmarks.tables import Column, Table, Value, seconds, whole

_T = TypeVar("_T")
STATEMENTS: Final = 100_000
FEW: Final = 10_000
"""At which memory is traced; tracing makes everything several times slower."""
CURVE: Final = (10_000, 100_000, 1_000_000)
A_KEY: Final = (1, 2, 10, 50)
_DAY: Final = 86_400_000_000


def ledger(number: int, a_key: int) -> list[Statement]:
    """Statements of keys that take turns: half until changed, half with an end, three values."""
    chance = random.Random(number + a_key)
    keys = number // a_key
    made = []
    for at in range(number):
        start = chance.randrange(4_000) * _DAY
        open_ended = chance.random() < 0.5
        made.append(
            Statement(
                tenant="t",
                statement_id=f"s{at}",
                op=Operation.ASSERT,
                recorded_at=1_000 + at // 100,
                seq=at,
                episode_id=f"e{at // 3}",
                subject=f"subject:{at % keys}",
                predicate="value",
                object=f"v{chance.randrange(3)}",
                object_kind="string",
                subject_type="thing",
                valid_from=start,
                valid_to=UNTIL_CHANGED if open_ended else start + chance.randrange(1, 400) * _DAY,
                trust=1,
                source="bench",
            )
        )
    return made


def folded(statements: list[Statement]) -> Folded:
    """All of it folded, for the listeners that always exist."""
    return fold(statements, lambda predicate: Cardinality.ONE, Listeners())


def rectangles(statements: list[Statement]) -> list[list[Piece]]:
    """The rectangles that all of it folds to, by key."""
    listeners = Listeners()
    with without_collection():
        ledger = in_order(statements)
        standing = Standings(ledger, listeners)
        keys = fold_keys(ledger, lambda predicate: Cardinality.ONE, listeners, standing)
        return [pieces for _, pieces, _ in keys]


def fold_table() -> Table:
    """Speed and memory of the fold at each number of statements a key, and the curve."""
    shapes = [(STATEMENTS, a_key) for a_key in A_KEY]
    shapes += [(number, 10) for number in CURVE if number != STATEMENTS]
    rows = [_row(number, a_key) for number, a_key in shapes]
    columns = (
        Column("statements", "statements", whole),
        Column("a key", "statements_a_key"),
        Column("rectangles", "rectangles", whole),
        Column("CPU s", "cpu", seconds),
        Column("statements a CPU s", "folded_per_cpu_second", whole),
        Column("as values", "values_per_cpu_second", whole),
        Column("made a CPU s", "made_per_cpu_second", whole),
        Column("fold / make", "fold_to_make", seconds),
        Column("bytes kept a statement", "bytes_kept_a_statement", whole),
        Column("bytes at most", "bytes_at_most_a_statement", whole),
    )
    notes = [
        f"best of two (of one at a million); bytes of rectangles, beyond the statements "
        f"themselves, traced at {FEW:,} statements",
    ]
    return Table("fold: one listener set, cardinality one", columns, rows, notes)


def _row(number: int, a_key: int) -> tuple[Value, ...]:
    began = time.process_time()
    statements = ledger(number, a_key)
    made = time.process_time() - began
    turns = 1 if number > STATEMENTS else 2
    taken, keys = best(lambda: rectangles(statements), turns)
    found = sum(map(len, keys))
    del keys
    values, _ = best(lambda: len(folded(statements).beliefs), turns)
    kept, most = memory(a_key)
    return (
        number, a_key, found, taken, number / taken, number / values, number / made,
        taken / made, kept, most,
    )  # fmt: skip


def best(work: Callable[[], _T], turns: int) -> tuple[float, _T]:
    """CPU seconds of the best of some turns, and what it gave."""
    taken = []
    for _ in range(turns):
        gc.collect()
        began = time.process_time()
        result = work()
        taken.append(time.process_time() - began)
        if len(taken) < turns:
            del result
    return min(taken), result


def memory(a_key: int) -> tuple[float, float]:
    """Bytes a statement that the rectangles take, and the most while they are made."""
    listeners = Listeners()
    statements = in_order(ledger(FEW, a_key))
    gc.collect()
    tracemalloc.start()
    try:
        standing = Standings(statements, listeners)
        keys = fold_keys(statements, lambda predicate: Cardinality.ONE, listeners, standing)
        kept = [pieces for _, pieces, _ in keys]
        _, most = tracemalloc.get_traced_memory()
        gc.collect()
        now, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept
    return now / FEW, most / FEW
