"""What a batch opened or closed of dense keys gets its fork (graph.fork), before the batch ends.

A key that becomes dense gets the forks of all its edges, older ones too: readers look for them
only while no batch is open, and expand meanwhile. The same batch again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from neo4j import Driver

from graph import fork as forks
from graph.statements import statement
from graph.writer import Writer
from lakehouse.model.ledger import BeliefChanges

_KINDS: Final = ("belief", "attribute")
_AT_ONCE: Final = 5_000
"""Keys or edges that are asked about together."""


def fork_dense(
    driver: Driver, database: str, writer: Writer, changes: BeliefChanges, *, first: bool
) -> None:
    """Set the forks that follow from a batch whose edges are all written and closed.

    `first` says that the batch holds all edges there are, so that its own need not be counted.
    """
    sizes = Counter(belief.key for belief in changes.opened)
    if not first:
        sizes = _counted(driver, database, list(sizes))
    dense = [key for key, size in sizes.items() if size >= forks.DENSE]
    closed = [closing.belief_id for closing in changes.closed]
    for kind in _KINDS:
        edges = _found(driver, database, f"forkless_{kind}", "keys", dense)
        moved = _found(driver, database, f"forked_{kind}", "ids", closed)
        rows = ([name, forks.fork(start, end)] for name, start, end in (*edges, *moved))
        writer.write(f"fork_{kind}", rows, what="forks of dense keys")


def _counted(driver: Driver, database: str, keys: Sequence[str]) -> Counter[str]:
    sizes: Counter[str] = Counter()
    for kind in _KINDS:
        for key, edges in _found(driver, database, f"count_{kind}_keys", "keys", keys):
            sizes[key] += edges
    return sizes


def _found(
    driver: Driver, database: str, name: str, parameter: str, values: Sequence[str]
) -> Iterator[list[Any]]:
    for start in range(0, len(values), _AT_ONCE):
        given = {parameter: values[start : start + _AT_ONCE]}
        found = driver.execute_query(statement(name), given, database_=database)
        yield from found.records[0]["found"]
