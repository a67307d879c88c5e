"""The whole belief state at one pair of instants: from the lake, and from the graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from lakehouse.catalog import local
from lakehouse.model.errors import IntegrityError
from lakehouse.open_sql import OpenLake
from lakehouse.store import Store
from queries.memory import Memory
from queries.view import View
from tests.benchmarks.graph.checking import view_at
from tests.benchmarks.graph.histories import SENSOR, TENANT
from tests.benchmarks.graph.rectangles import Asked, Rectangles, rule_at
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, seconds, whole

TURNS: Final = 3
_COLUMNS: Final = "belief_id, subject, predicate, object, valid_from, recorded_from"


def states_table(stack: Stack, rectangles: Rectangles, valid_at: int, known_at: int) -> Table:
    """The same rows from both, best of some turns; they are as many as DuckDB says."""
    wanted, _ = rectangles.live(valid_at, known_at)
    view = view_at(Memory(stack.driver, stack.database), Asked(SENSOR, None, valid_at, known_at))
    began = time.perf_counter()
    lake = OpenLake(Store(local(stack.home / "lake")), TENANT, known_at=known_at)
    opening = time.perf_counter() - began
    text = f"SELECT {_COLUMNS} FROM {{table}} r WHERE {rule_at(valid_at, known_at)}"  # noqa: S608
    table = text.format(table="rectangles")
    works: list[tuple[str, float | None, Callable[[], int]]] = [
        ("lake: its SQL view, opened before", 0.3,
         lambda: lake.sql(text.format(table="beliefs")).num_rows),
        ("DuckDB: the table in memory", None,
         lambda: rectangles.connection.execute(table).to_arrow_table().num_rows),
        ("graph: View.state, ten columns", 2.1, lambda: _graph(view)),
    ]  # fmt: skip
    rows: list[tuple[Value, ...]] = [("lake: opening it for SQL", None, None, opening, None)]
    for what, goal, work in works:
        taken = [_timed(work, wanted) for _ in range(TURNS)]
        rows.append((what, wanted, goal, min(taken), wanted / min(taken)))
    columns = (
        Column("whole state", "state"),
        Column("rows", "rows", whole),
        Column("goal s", "goal", seconds),
        Column("seconds", "seconds", seconds),
        Column("rows a second", "per_second", whole),
    )
    notes = [
        f"six columns from the lake; best of {TURNS}; the goals are for a set of 1,000,000 beliefs"
    ]
    return Table("graph: whole state", columns, rows, notes)


def _timed(work: Callable[[], int], wanted: int) -> float:
    began = time.perf_counter()
    found = work()
    taken = time.perf_counter() - began
    if found != wanted:
        raise IntegrityError(
            f"a whole state has {found} rows, DuckDB's has {wanted}",
            remedy="Find out why before measuring anything.",
        )
    return taken


def _graph(view: View) -> int:
    return sum(len(page.subject) for page in view.state())
