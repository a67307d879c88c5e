"""This run beside an earlier one of another size: how the set and each figure grew."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lakehouse.model.errors import InputError
from tests.benchmarks.tables import Column, Table, Value, hundredths

_SET: Final = "graph: the set"
_FIGURES: Final = (
    ("graph: reads", "read", "p50", "s in the driver"),
    ("graph: reads", "read", "times_floor", "times RETURN 1"),
    ("graph: clients at once", "what", "per_second", "answers/s"),
    ("graph: whole state", "state", "seconds", "s"),
    ("graph: writes of all of it", "what", "per_second", "edges/s"),
    ("graph: rebuilt offline, with swap", "step", "seconds", "s"),
    ("graph: writes of small commits", "what", "p50", "s a commit"),
    ("graph: bytes, as it was projected", "what", "a_belief", "bytes a belief"),
)
"""Title of a table, its first column, and the figure that is compared, with its unit."""

Records = Mapping[str, Sequence[Mapping[str, Any]]]


def earlier(file: Path) -> Records:
    """The tables of a run's JSON by title; InputError where it holds none of the graph."""
    try:
        tables = json.loads(file.read_text(encoding="utf-8"))["tables"]
        found = {table["title"]: table["rows"] for table in tables}
        found[_SET]
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise InputError(
            f"{file} does not hold a run of the graph's benchmark",
            remedy="Name a file that --json wrote in a run of `graph`.",
        ) from wrong
    return found


def growth_table(now: Sequence[Table], then: Records) -> Table:
    """Each figure of both runs, and the quotient; the first row is the set's."""
    here: Records = {table.title: list(_rows(table)) for table in now}
    size, before = here[_SET][0]["beliefs"], then[_SET][0]["beliefs"]
    rows: list[tuple[Value, ...]] = [("beliefs", before, size, size / before, "")]
    for title, first, figure, unit in _FIGURES:
        past = {row[first]: row.get(figure) for row in then.get(title, ())}
        for row in here.get(title, ()):
            old, new = past.get(row[first]), row.get(figure)
            if old and new:
                rows.append((f"{row[first]}", old, new, new / old, unit))
    columns = (
        Column("figure", "figure"),
        Column("then", "then", _plain),
        Column("now", "now", _plain),
        Column("times", "times", hundredths),
        Column("unit", "unit"),
    )
    return Table("graph: growth from an earlier run to this one", columns, rows)


def _rows(table: Table) -> Iterator[Mapping[str, Any]]:
    names = [column.name for column in table.columns]
    for row in table.rows:
        yield dict(zip(names, row, strict=True))


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.5g}"
