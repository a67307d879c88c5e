"""A check of `doctor`: the graph was projected from the lake that the settings name.

A forgotten setting opens another lake, and each of the two is fine by itself. A watermark that
the graph tells was recorded in the lake when it was published, so the lake must know it.
"""

from __future__ import annotations

from collections.abc import Iterator

from graph.server import connection_from
from graph.session import open_driver
from lakehouse.ledger import Ledger
from lakehouse.model.instants import show
from queries.basis import State
from queries.reading import Reader
from queries.surfaces.findings import Finding, Level, Premises


def agreement(premises: Premises) -> Iterator[Finding]:
    """Every tenant's watermark in the graph is one that this lake recorded."""
    told = dict(_told(premises))
    if not told:
        yield Finding("agreement", Level.NOTE, "not looked at: no graph holds a tenant")
        return
    published = _published(premises.ledger)
    foreign = [
        (tenant, state.watermark)
        for tenant, state in told.items()
        if state.watermark is not None and (tenant, state.watermark) not in published
    ]
    for tenant, watermark in foreign:
        yield Finding(
            "agreement",
            Level.PROBLEM,
            f"{tenant}: the graph's watermark {show(watermark)} was never published from this "
            "lake: the graph was made from another one",
            "Are that lake's settings missing (PYICEBERG_HOME and the like)? If this lake is the "
            f"right one: beliefgraph run {tenant} --rebuild.",
            "integrity",
        )
    if not foreign:
        yield Finding("agreement", Level.FINE, "the graph was published from this lake")


def _published(ledger: Ledger | None) -> set[tuple[str, int]]:
    """Tenants with the watermarks that the lake recorded for them."""
    if ledger is None:
        return set()
    return {
        (tenant, one.watermark)
        for tenant in ledger.tenants()
        for one in ledger.publications(tenant)
    }


def _told(premises: Premises) -> Iterator[tuple[str, State]]:
    if not premises.served:
        return
    connection = connection_from(premises.environ)
    with open_driver(connection) as driver:
        reader = Reader(driver, connection.database)
        for tenant in reader.tenants():
            yield tenant, reader.state(tenant)
