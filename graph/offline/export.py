"""The lake's rows of several tenants as the files of one bulk import.

The rows are those that `graph.verify` compares the graph with (`graph.lake_rows`); their marks are
taken as they are written, so what is imported is what is then looked for, and the lake is read
once. Ids are unique in their kind of node only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graph.comparison import Side, uncollected
from graph.lake_rows import (
    ATTRIBUTE,
    BELIEF,
    CONFIRMS,
    ENTITY_NODE,
    EPISODE_NODE,
    MENTIONS,
    VALUE_NODE,
    Shape,
    lake_rows,
)
from graph.offline.csv_table import DelimiterTaken, Table
from graph.state import State
from lakehouse.ledger import Ledger, Progress
from lakehouse.model.errors import InputError

DELIMITERS: Final = ("\x1f", "\x1e", "\x1d", "\x1c", "\x02", "\x03")
"""Tried in this order between the elements of a list: control characters that text hardly holds."""
EVERY: Final = 250_000
"""Rows between two words of progress."""

_NODES: Final = (ENTITY_NODE, VALUE_NODE, EPISODE_NODE)
_ENDS: Final[Mapping[Shape, tuple[Shape, Shape]]] = {
    BELIEF: (ENTITY_NODE, ENTITY_NODE),
    ATTRIBUTE: (ENTITY_NODE, VALUE_NODE),
    CONFIRMS: (EPISODE_NODE, ENTITY_NODE),
    MENTIONS: (EPISODE_NODE, ENTITY_NODE),
}


@dataclass(frozen=True, slots=True)
class Source:
    """One file with its header, and what it becomes: nodes of a label or edges of a type."""

    name: str
    edge: bool
    header: Path
    data: Path
    multiline: bool


@dataclass(frozen=True, slots=True)
class Exported:
    """The files, how lists are parted in them, and what they hold."""

    sources: tuple[Source, ...]
    delimiter: str
    longest: int
    """Bytes of the longest text."""
    edges: int
    nodes: int
    size: int
    """Bytes of all files."""
    sides: Mapping[str, Side]
    """By tenant, the lake's side of the comparison at the position that was exported."""


def export(
    ledger: Ledger, states: Sequence[State], folder: Path, *, progress: Progress
) -> Exported:
    """Write all rows of the tenants at these positions; InputError if no delimiter is free."""
    with uncollected():
        for delimiter in DELIMITERS:
            try:
                return _export(ledger, states, folder, delimiter, progress)
            except DelimiterTaken:
                progress(f"a tag holds U+{ord(delimiter):04X}; beginning again with another one")
    raise InputError(
        "tags hold every control character that could part them in the import's files",
        remedy="Rebuild in place, tenant by tenant: beliefgraph run TENANT --rebuild.",
    )


def _export(
    ledger: Ledger, states: Sequence[State], folder: Path, delimiter: str, progress: Progress
) -> Exported:
    tables: dict[str, Table] = {}
    sides: dict[str, Side] = {}
    written = 0
    with ExitStack() as stack:
        for shape in (*_NODES, *_ENDS):
            path = folder / f"{shape.name}.csv"
            tables[shape.name] = table = Table(path, _columns(shape), delimiter)
            stack.callback(table.close)
        for state in states:
            side = sides[state.tenant] = Side()
            for shape, rows in lake_rows(ledger, state.tenant, state.position):
                side.take([(shape, rows)])
                tables[shape.name].add(rows)
                before, written = written, written + len(rows)
                if before // EVERY < written // EVERY:
                    progress(f"exported {written:,} rows")
    filled = {shape: tables[shape.name] for shape in (*_NODES, *_ENDS) if tables[shape.name].rows}
    return Exported(
        sources=tuple(
            Source(shape.name, shape.edge, table.header(), table.path, table.multiline)
            for shape, table in filled.items()
        ),
        delimiter=delimiter,
        longest=max((table.longest for table in filled.values()), default=0),
        edges=sum(table.rows for shape, table in filled.items() if shape.edge),
        nodes=sum(table.rows for shape, table in filled.items() if not shape.edge),
        size=sum(table.path.stat().st_size for table in filled.values()),
        sides=sides,
    )


def _columns(shape: Shape) -> tuple[str, ...]:
    """The header's fields: ends and ids with their space, labels, names of properties.

    The last column of a shape is the count of its properties, which is no property.
    """
    names = shape.columns[:-1]
    if shape.edge:
        start, end = _ENDS[shape]
        return (f":START_ID({start.name})", f":END_ID({end.name})", *names[2:])
    special = {"id": f"id:ID({shape.name})", "labels": ":LABEL"}
    return tuple(special.get(name, name) for name in names)
