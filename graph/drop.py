"""One tenant's projection is removed.

The Projection node stays, at position 0 and unpublished, with the next generation: a reader
that began before notices. The lake is not touched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from neo4j import Driver

from graph.rows import prefix
from graph.schema import VERSION
from graph.state import lanes
from graph.statements import statement
from lakehouse.ledger import Progress
from lakehouse.stamping import system_clock

ROWS: Final = 10_000
"""Edges of a transaction, and nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was removed."""

    tenant: str
    edges: int
    nodes: int


def drop(
    driver: Driver, database: str, tenant: str, *, progress: Progress | None = None
) -> Dropped:
    """Remove a tenant's edges and nodes in batches; unpublished first, so nobody reads half."""
    start, edges, nodes = prefix(tenant), 0, 0
    driver.execute_query(
        statement("reset_projection"),
        tenant=tenant,
        lanes=lanes(tenant),
        now=system_clock(),
        database_=database,
    )
    for name in ("drop_edges_of_entities", "drop_edges_of_episodes", "drop_nodes"):
        with driver.session(database=database) as session:
            text = statement(name)
            summary = session.run(text, prefix=start, tenant=tenant, rows=ROWS).consume()
        edges += summary.counters.relationships_deleted
        nodes += summary.counters.nodes_deleted
        if progress is not None:
            progress(f"dropped {edges} edges, {nodes} nodes")
    driver.execute_query(
        statement("dropped"),
        tenant=tenant,
        schema_version=VERSION,
        now=system_clock(),
        database_=database,
    )
    return Dropped(tenant=tenant, edges=edges, nodes=nodes)
