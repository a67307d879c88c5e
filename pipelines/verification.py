"""The command `verify`: the graph against the lake, each difference named, and mended if asked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click
from neo4j import Driver

from graph import schema
from graph import state as states
from graph.comparison import Difference
from graph.repair import Repaired, repair
from graph.server import connection_from, home_from
from graph.session import connected
from graph.verify import Verified, verify
from graph.verify_last import verify_last
from lakehouse.iceberg import open_ledger
from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConflictError, InputError, IntegrityError, UnavailableError
from lakehouse.model.ledger import Stage
from pipelines.progress import say

SHOWN = 1_000
"""Differences that are named; all of them are counted, and mended."""


@click.command("verify")
@click.argument("tenant")
@click.option(
    "--full/--last", "full", default=None, help="Everything (default), or what was touched since."
)
@click.option("--repair", "mend", is_flag=True, help="Write exactly what differs.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify_command(tenant: str, full: bool | None, mend: bool, as_json: bool) -> None:
    """Compare a tenant's graph with the lake, and name every difference.

    Every property of every edge and node is compared, up to the position that was projected; what
    waits for `run` is told. --last compares what the batches since the last verification touched,
    as every `run` does. With --repair the graph is made what the lake says; what is read meanwhile
    is of before or after. The exit code is 65 when they differ, 69 when nothing is projected.

    \b
    Example:
      beliefgraph verify plant
      beliefgraph verify plant --repair
    """
    if mend and full is False:
        raise InputError(
            "--repair compares everything, --last does not",
            remedy="Leave out --last.",
        )
    ledger = open_ledger(home_from(os.environ), os.environ)
    known = ledger.tenants()
    if tenant not in known:
        raise InputError(
            f"the lake knows no tenant {tenant!r}",
            remedy=f"Known: {', '.join(known) or 'none yet; land a source first'}.",
        )
    connection = connection_from(os.environ)
    with connected(connection) as driver:
        if mend:
            with _indexed(driver, connection.database):
                _waiting(ledger, driver, connection.database, tenant)
                _repair(ledger, driver, connection.database, tenant, as_json)
            return
        waits = _waiting(ledger, driver, connection.database, tenant)
        work = verify_last if full is False else verify
        found = work(ledger, driver, connection.database, tenant)
    if as_json:
        click.echo(json.dumps({**_record(found), "waits": waits}, indent=2, ensure_ascii=False))
    else:
        _tell(found.differences)
        click.echo(found.summary)
        if waits is not None:
            click.echo(
                f"the graph is at position {found.position}, the lake's beliefs at {waits}: "
                f"`beliefgraph run {tenant}` projects what waits"
            )
    _require_equal(found, f"Mend it: beliefgraph verify {tenant} --repair.")


def _waiting(ledger: Ledger, driver: Driver, database: str, tenant: str) -> int | None:
    """The position of the newest beliefs where the graph is behind it, else None.

    UnavailableError where nothing of them was ever projected: nothing equals nothing, but the graph
    does not hold what the lake says.
    """
    believed = ledger.commits(tenant, stage=Stage.BELIEVE)
    state = states.read(driver, database, tenant)
    newest = believed[-1].position if believed else 0
    position = state.position if state is not None else 0
    if newest and not position and (state is None or state.projecting is None):
        raise UnavailableError(
            f"nothing of {tenant!r} is in the graph; the lake's beliefs are at position {newest}",
            remedy=f"Project them: beliefgraph run {tenant} (or rebuild, for all tenants).",
            tenant=tenant,
        )
    return newest if newest > position else None


@contextmanager
def _indexed(driver: Driver, database: str) -> Iterator[None]:
    """All constraints and indexes; those that cannot be made before the repair, behind it."""
    try:
        schema.ensure(driver, database)
        late = False
    except schema.NotUniqueError as twice:
        say(twice.message)
        late = True
    yield
    if late:
        schema.ensure(driver, database)


def _repair(ledger: Ledger, driver: Driver, database: str, tenant: str, as_json: bool) -> None:
    """Compare, write what differs, and compare again."""
    differences: tuple[Difference, ...] = ()
    try:
        found = verify(ledger, driver, database, tenant)
        differences = found.differences
        wrong = not found.equal
    except ConflictError as unfinished:  # Repair compares what was left unfinished itself.
        if not as_json:
            click.echo(unfinished.message)
        wrong = True
    done = repair(ledger, driver, database, tenant, progress=say) if wrong else None
    if isinstance(done, Repaired) and not differences:
        differences = done.differences
    after = verify(ledger, driver, database, tenant) if wrong else found
    if as_json:
        record = {**_record(after), **_named(differences), "repaired": wrong}
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        _tell(differences)
        click.echo("repaired" if wrong else "nothing to repair")
        click.echo(after.summary)
    _require_equal(after, "Somebody else may be writing into the graph. Run again.")


def _tell(differences: Sequence[Difference]) -> None:
    for one in differences[:SHOWN]:
        click.echo(f"{one.kind:8} {one.belief_id or '-'}  {one.where}")
    if len(differences) > SHOWN:
        click.echo(f"... and {len(differences) - SHOWN:,} more")


def _record(found: Verified) -> dict[str, Any]:
    return {
        "tenant": found.tenant,
        "equal": found.equal,
        "position": found.position,
        "edges": found.edges,
        "nodes": found.nodes,
        "entities": found.entities,
        "why": found.why,
        "digest": found.digest,
        "lake_digest": found.lake_digest,
        **_named(found.differences),
    }


def _named(differences: Sequence[Difference]) -> dict[str, Any]:
    return {
        "differences": len(differences),
        "named": [
            {"kind": one.kind.value, "belief_id": one.belief_id, "where": one.where}
            for one in differences[:SHOWN]
        ],
    }


def _require_equal(found: Verified, remedy: str) -> None:
    if not found.equal:
        raise IntegrityError(
            f"the graph of {found.tenant!r} differs from the lake in {len(found.differences):,} "
            "places",
            remedy=remedy,
            tenant=found.tenant,
        )
