"""A check of `doctor`: the graph was projected from the lake that the settings name, and holds it.

A forgotten setting opens another lake, and each of the two is fine by itself. A watermark that
the graph tells was recorded in the lake when it was published, so the lake must know it; and a
position is that of a believe commit. What the lake believes and the graph lacks is worth knowing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph.server import connection_from
from graph.session import open_driver
from lakehouse.ledger import Ledger
from lakehouse.model.instants import show
from lakehouse.model.ledger import Stage
from queries.basis import State
from queries.reading import Reader
from queries.surfaces.findings import Finding, Level, Premises


def agreement(premises: Premises) -> Iterator[Finding]:
    """Every tenant of the graph stands where this lake has been, and at its newest beliefs."""
    told = dict(_told(premises))
    if not told:
        yield Finding("agreement", Level.NOTE, "not looked at: no graph holds a tenant")
        return
    believed, published = _believed(premises.ledger), _published(premises.ledger)
    foreign = {
        tenant: what
        for tenant, state in told.items()
        if (
            what := _foreign(
                state, (tenant, state.watermark) in published, believed.get(tenant, ())
            )
        )
    }
    for tenant, what in foreign.items():
        yield Finding(
            "agreement",
            Level.PROBLEM,
            f"{tenant}: {what} this lake: the graph was made from another one",
            "Are that lake's settings missing (PYICEBERG_HOME and the like)? If this lake is the "
            f"right one: beliefgraph run {tenant} --rebuild.",
            "integrity",
        )
    if not foreign:
        yield Finding("agreement", Level.FINE, "the graph was published from this lake")
    here = {tenant: state.position for tenant, state in told.items()}
    for tenant in sorted(believed.keys() - foreign.keys()):
        yield from _lacking(tenant, here.get(tenant, 0), believed[tenant])


def _foreign(state: State, published: bool, believed: Sequence[int]) -> str:
    """What of a tenant's state this lake never had; empty where it had all of it."""
    if state.watermark is not None and not published:
        return f"the graph's watermark {show(state.watermark)} was never published from"
    if state.position and state.position not in believed:
        return f"the graph's position {state.position} is no belief commit of"
    return ""


def _lacking(tenant: str, here: int, believed: Sequence[int]) -> Iterator[Finding]:
    """The newest beliefs are not in the graph."""
    if believed and here < believed[-1]:
        yield Finding(
            "agreement",
            Level.NOTE,
            f"{tenant}: the lake's beliefs are at position {believed[-1]}, the graph "
            + (f"is at {here}" if here else "holds nothing of it"),
            f"beliefgraph run {tenant}",
        )


def _believed(ledger: Ledger | None) -> dict[str, list[int]]:
    """The positions of each tenant's believe commits, oldest first."""
    if ledger is None:
        return {}
    return {
        tenant: [commit.position for commit in ledger.commits(tenant, stage=Stage.BELIEVE)]
        for tenant in ledger.tenants()
    }


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
