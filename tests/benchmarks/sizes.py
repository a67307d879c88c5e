"""What a belief costs on disk: the lake's tables, the graph's store, and its logs apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graph.server.layout import Layout
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, size, tenths, whole

_COUNT_NODES: Final = "MATCH (n) UNWIND labels(n) AS what RETURN what, count(*) AS number"
_COUNT_EDGES: Final = "MATCH ()-[r]->() RETURN type(r) AS what, count(*) AS number"


def files(folder: Path) -> Iterator[tuple[Path, int]]:
    """Every file below a folder with its bytes."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path, path.stat().st_size


@dataclass(frozen=True, slots=True)
class Store:
    """Bytes of a graph's files: its records, its indexes, its transaction logs."""

    records: int
    indexes: int
    logs: int


def store_bytes(home: Path, database: str) -> Store:
    """The graph's files as they lie there."""
    data = Layout(home).data
    held = data / "databases" / database
    indexes = _bytes(held / "schema")
    return Store(_bytes(held) - indexes, indexes, _bytes(data / "transactions" / database))


def _bytes(folder: Path) -> int:
    return sum(length for _, length in files(folder))


def lake_table(title: str, home: Path, beliefs: int) -> Table:
    """Bytes of each table, data and metadata apart, and all of it by belief."""
    data: dict[str, int] = defaultdict(int)
    about: dict[str, int] = defaultdict(int)
    number: dict[str, int] = defaultdict(int)
    for path, length in files(home / "lake"):
        kind = next((one for one in path.parents if one.name in {"data", "metadata"}), None)
        name = kind.parent.name if kind else "catalog"
        into = data if kind and kind.name == "data" else about
        into[name] += length
        number[name] += 1
    rows: list[tuple[Value, ...]] = [
        (name, number[name], data[name], about[name], (data[name] + about[name]) / beliefs)
        for name in sorted(number)
    ]
    every = (sum(number.values()), sum(data.values()), sum(about.values()))
    rows.append(("whole lake", *every, (every[1] + every[2]) / beliefs))
    columns = (
        Column("table", "table"),
        Column("files", "files"),
        Column("data", "data", size),
        Column("metadata", "metadata", size),
        Column("bytes a belief", "bytes_a_belief", tenths),
    )
    return Table(title, columns, rows, [f"beliefs: {beliefs:,}"])


def graph_table(title: str, empty: Store, full: Store, beliefs: int) -> Table:
    """Bytes of the graph's store and logs, before the first edge and now."""
    rows: list[tuple[Value, ...]] = [
        (name, before, after, after / beliefs)
        for name, before, after in (
            ("records", empty.records, full.records),
            ("indexes", empty.indexes, full.indexes),
            ("store files", empty.records + empty.indexes, full.records + full.indexes),
            ("transaction logs", empty.logs, full.logs),
        )
    ]
    columns = (
        Column("graph", "graph"),
        Column("empty", "empty", size),
        Column("full", "full", size),
        Column("bytes a belief", "bytes_a_belief", tenths),
    )
    return Table(title, columns, rows)


def counts_table(title: str, stack: Stack) -> Table:
    """How many nodes and edges of each kind the graph holds."""
    rows: list[tuple[Value, ...]] = []
    for kind, text in (("node", _COUNT_NODES), ("edge", _COUNT_EDGES)):
        found = stack.driver.execute_query(text, database_=stack.database).records
        rows.extend((kind, row["what"], row["number"]) for row in found)
    columns = (Column("kind", "kind"), Column("name", "name"), Column("number", "number", whole))
    return Table(title, columns, rows)
