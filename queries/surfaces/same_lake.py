"""A check of `doctor`: the graph was projected from the lake that the settings name.

A forgotten setting opens another lake, and each of the two is fine by itself. A watermark that
the graph tells was recorded in the lake when it was published, so the lake must know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graph.server import connection_from, home_from, status
from graph.session import open_driver
from lakehouse.model.instants import show
from queries.basis import State
from queries.reading import Reader
from queries.surfaces.findings import Finding, Level


def agreement(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Every tenant's watermark in the graph is one that this lake recorded."""
    told = dict(_told(environ))
    if not told:
        return
    from lakehouse.iceberg import open_ledger  # noqa: PLC0415  (heavy)

    ledger = open_ledger(home_from(environ), environ)
    known = set(ledger.tenants())
    for tenant, state in told.items():
        published = ledger.publications(tenant) if tenant in known else []
        if state.watermark is None or any(one.watermark == state.watermark for one in published):
            continue
        yield Finding(
            "agreement",
            Level.PROBLEM,
            f"{tenant}: the graph's watermark {show(state.watermark)} was never published from "
            "this lake: the graph was made from another one",
            "Are that lake's settings missing (PYICEBERG_HOME and the like)? If this lake is the "
            f"right one: beliefgraph run {tenant} --rebuild.",
            "integrity",
        )


def _told(environ: Mapping[str, str]) -> Iterator[tuple[str, State]]:
    if status(environ).state not in ("running", "external"):
        return
    connection = connection_from(environ)
    with open_driver(connection) as driver:
        reader = Reader(driver, connection.database)
        for tenant in reader.tenants():
            yield tenant, reader.state(tenant)
