"""A graph without time beside ours: the same entities and values, current edges only, no clocks.

It is made by the server from our own edges, into labels and types of its own, and stands in the
same store, so that both are read by one warm server over one connection.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, LiteralString

from neo4j import READ_ACCESS, Driver

from graph.statements import statement, statements
from tests.benchmarks.stack import Stack

FLOOR: Final = "RETURN 1 AS one"
"""The least that a driver and a server can do."""
_PACKAGE: Final = __package__ or ""
_PARTS: Final = ("carried", "ten_columns", "ten_rows")
_COUNT: Final = "MATCH ()-[r:PLAIN_LINK|PLAIN_VALUE]->() RETURN count(r) AS number"


@cache
def plain_text(name: str, hops: int = 3) -> LiteralString:
    """A statement of this benchmark's own, for so many steps, with the parts that several share."""
    text = statement(name, _PACKAGE).replace("{1,3}", f"{{1,{hops}}}")
    for part in _PARTS:
        text = text.replace(f"{{{{{part}}}}}", statement(part, _PACKAGE))
    return text


def run_plain(driver: Driver, database: str, text: LiteralString, given: Mapping[str, Any]) -> None:
    """Ask in a session of its own, and take in all rows: the least that a read of ours does."""
    with driver.session(
        database=database, default_access_mode=READ_ACCESS, fetch_size=-1
    ) as session:
        list(session.run(text, dict(given)))


def make(stack: Stack, rule: Mapping[str, int]) -> tuple[int, float]:
    """Make it of what is believed by that rule; how many edges it has, and the seconds."""
    began = time.perf_counter()
    for text in statements("plain_schema", _PACKAGE):
        stack.driver.execute_query(text, database_=stack.database)
    with stack.driver.session(database=stack.database) as session:
        for name in ("entities", "texts", "links", "values", "done"):
            session.run(plain_text(f"plain_{name}"), dict(rule)).consume()
    return edges(stack), time.perf_counter() - began


def basis(stack: Stack) -> tuple[int, int] | None:
    """The pair of instants (valid, known; µs UTC) that it was made of; None where it is not."""
    found = stack.driver.execute_query(plain_text("plain_basis"), database_=stack.database).records
    return (found[0]["valid_at"], found[0]["known_at"]) if found else None


def edges(stack: Stack) -> int:
    """How many edges it has."""
    found = stack.driver.execute_query(_COUNT, database_=stack.database)
    return int(found.records[0]["number"])
