"""A graph without time beside ours: the same entities and values, current edges only, no clocks.

It is made by the server from our own edges, into labels and types of its own, and stands in the
same store, so that both are read by one warm server over one connection.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from graph.statements import statement, statements
from tests.benchmarks.stack import Stack

PACKAGE = __package__ or ""
_COUNT = "MATCH ()-[r:PLAIN_LINK|PLAIN_VALUE]->() RETURN count(r) AS number"


def make(stack: Stack, rule: Mapping[str, int]) -> tuple[int, float]:
    """Make it of what is believed by that rule; how many edges it has, and the seconds."""
    began = time.perf_counter()
    for text in statements("plain_schema", PACKAGE):
        stack.driver.execute_query(text, database_=stack.database)
    with stack.driver.session(database=stack.database) as session:
        for name in ("entities", "texts", "links", "values", "done"):
            session.run(statement(f"plain_{name}", PACKAGE), dict(rule)).consume()
    return edges(stack), time.perf_counter() - began


def basis(stack: Stack) -> tuple[int, int] | None:
    """The pair of instants (valid, known; µs UTC) that it was made of; None where it is not."""
    found = stack.driver.execute_query(
        statement("plain_basis", PACKAGE), database_=stack.database
    ).records
    return (found[0]["valid_at"], found[0]["known_at"]) if found else None


def edges(stack: Stack) -> int:
    """How many edges it has."""
    found = stack.driver.execute_query(_COUNT, database_=stack.database)
    return int(found.records[0]["number"])
