"""The fold alone, without lake or server: statements a CPU second, by statements a key.

The reference is the making of the same statements as values, in the same run: it is what any
fold in this language pays before it has begun.
"""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from typing import Final

from lakehouse.model.fold import Folded, fold
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement
from tests.benchmarks.tables import Column, Table, Value, seconds, whole

STATEMENTS: Final = 100_000
FEW: Final = 10_000
"""At which memory is traced; tracing makes everything several times slower."""
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


def fold_table() -> Table:
    """Speed and memory of the fold at each number of statements a key."""
    rows: list[tuple[Value, ...]] = []
    for a_key in A_KEY:
        began = time.process_time()
        statements = ledger(STATEMENTS, a_key)
        made = time.process_time() - began
        taken, result = _best_of_two(statements)
        kept, most = memory(a_key)
        rows.append(
            (
                a_key, STATEMENTS, len(result.beliefs), len(result.supports), taken,
                STATEMENTS / taken, STATEMENTS / made, taken / made, kept, most,
            )
        )  # fmt: skip
        del statements, result
        gc.collect()
    columns = (
        Column("statements a key", "statements_a_key"),
        Column("statements", "statements"),
        Column("beliefs", "beliefs"),
        Column("supports", "supports"),
        Column("CPU s", "cpu", seconds),
        Column("folded a CPU s", "folded_per_cpu_second", whole),
        Column("made a CPU s", "made_per_cpu_second", whole),
        Column("fold / make", "fold_to_make", seconds),
        Column("bytes kept a statement", "bytes_kept_a_statement", whole),
        Column("bytes at most", "bytes_at_most_a_statement", whole),
    )
    notes = [
        f"best of two; memory beyond the statements themselves, traced at {FEW:,} statements: "
        "what the result keeps, and the most while folding",
    ]
    return Table("fold: one listener set, cardinality one", columns, rows, notes)


def _best_of_two(statements: list[Statement]) -> tuple[float, Folded]:
    taken = []
    for _ in range(2):
        began = time.process_time()
        result = folded(statements)
        taken.append(time.process_time() - began)
    return min(taken), result


def memory(a_key: int) -> tuple[float, float]:
    """Bytes a statement that the result keeps, and the most while it is made."""
    statements = ledger(FEW, a_key)
    gc.collect()
    tracemalloc.start()
    try:
        result = folded(statements)
        _, most = tracemalloc.get_traced_memory()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert result.beliefs
    return kept / FEW, most / FEW
