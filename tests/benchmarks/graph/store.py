"""What an edge costs on disk: the store's files of a stopped server, by what they hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from graph.server.layout import Layout
from tests.benchmarks.sizes import files
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, size, tenths, verdict

GOAL: Final = 650
_EDGES: Final = "MATCH ()-[r]->() RETURN type(r) AS what, count(*) AS number"
_KINDS: Final = (
    ("relationship", "relationships"),
    ("propertystore.db.strings", "long texts"),
    ("propertystore.db.arrays", "arrays"),
    ("property", "properties"),
    ("node", "nodes"),
    ("label", "nodes"),
    ("schema", "schema"),
    ("counts", "counts"),
)


def edges_of(stack: Stack) -> dict[str, int]:
    """How many edges of each type there are, but those of the graph without time."""
    found = stack.driver.execute_query(_EDGES, database_=stack.database).records
    return {str(row["what"]): int(row["number"]) for row in found}


def store_table(how: str, home: Path, database: str, edges: Mapping[str, int]) -> Table:
    """Bytes by kind of file, and by edge; of a server that was stopped, so that all is written."""
    beliefs = edges["BELIEF"] + edges["ATTRIBUTE"]
    every = sum(edges.values())
    held: dict[str, int] = {}
    data = Layout(home).data
    for path, length in files(data / "databases" / database):
        kind = _kind(path)
        held[kind] = held.get(kind, 0) + length
    logs = sum(length for _, length in files(data / "transactions" / database))
    rows: list[tuple[Value, ...]] = [
        (kind, length, length / beliefs, length / every, "", "")
        for kind, length in sorted(held.items(), key=lambda item: -item[1])
    ]
    total = sum(held.values())
    without = total - held.get("nodes", 0)
    met = verdict(total / beliefs > GOAL)
    rows += [
        ("all but nodes", without, without / beliefs, without / every, "", ""),
        ("all", total, total / beliefs, total / every, f"{GOAL} a belief", met),
        ("transaction logs", logs, logs / beliefs, logs / every, "", ""),
    ]
    columns = (
        Column("store, of a stopped server", "what"),
        Column("bytes", "bytes", size),
        Column("a belief", "a_belief", tenths),
        Column("an edge of any kind", "an_edge", tenths),
        Column("goal", "goal"),
        Column("", "met"),
    )
    told = ", ".join(f"{name} {number:,}" for name, number in sorted(edges.items()))
    return Table(f"graph: bytes, {how}", columns, rows, [f"edges: {told}"])


def _kind(path: Path) -> str:
    if "schema" in path.parts:
        return "indexes"
    for part, kind in _KINDS:
        if part in path.name:
            return kind
    return "other"
