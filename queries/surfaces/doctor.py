"""The command `doctor`: looks at everything an answer stands on, and says what is wrong.

Checks are functions of one shape: from what they may look at to what they found. None of them
changes anything, starts anything, or hides behind another's failure.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Final

import click

from graph import schema
from graph.server import connection_from, home_from
from graph.session import open_driver
from lakehouse.model import instants
from lakehouse.model.counted import counted
from lakehouse.model.errors import EXIT_CODES, BeliefgraphError
from queries.reading import Reader
from queries.surfaces import installation, same_lake
from queries.surfaces.findings import Check, Finding, Level, Premises
from queries.surfaces.options import AS_JSON


def home(premises: Premises) -> Iterator[Finding]:
    """The home can be written, or made."""
    place = home_from(premises.environ)
    nearest = next(folder for folder in (place, *place.parents) if folder.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as refused:
        yield Finding(
            "home",
            Level.PROBLEM,
            f"{place} cannot be written: {refused.strerror}",
            "Set BELIEFGRAPH_HOME to a folder of yours.",
        )
        return
    made = "" if place.exists() else " (not made yet)"
    yield Finding("home", Level.FINE, f"{place}{made}")


def server(premises: Premises) -> Iterator[Finding]:
    """What the Neo4j server is doing."""
    state = premises.server
    told = f"{state.state}{f' at {state.uri}' if state.uri else ''}"
    if premises.served:
        yield Finding("server", Level.FINE, told)
    else:
        yield Finding(
            "server", Level.NOTE, told, "beliefgraph up starts it; run and demo do so themselves."
        )


def graph(premises: Premises) -> Iterator[Finding]:
    """The graph has its constraints and indexes, and tells how far each tenant is."""
    if not premises.served:
        yield Finding("graph", Level.NOTE, "not looked at: no server runs")
        return
    connection = connection_from(premises.environ)
    with open_driver(connection) as driver:
        reader = Reader(driver, connection.database)
        tenants = reader.tenants()
        if not tenants:
            yield Finding(
                "graph",
                Level.NOTE,
                "holds no tenant yet",
                "beliefgraph run TENANT projects one, beliefgraph rebuild all that the lake has.",
            )
            return
        schema.check(driver, connection.database)
        yield Finding("graph", Level.FINE, "constraints and indexes are there")
        for tenant in tenants:
            state = reader.state(tenant)
            if state.watermark is None:
                yield Finding(
                    "graph",
                    Level.NOTE,
                    f"{tenant}: nothing published yet",
                    f"beliefgraph run {tenant}",
                )
            else:
                yield Finding(
                    "graph",
                    Level.FINE,
                    f"{tenant}: position {state.position}, watermark "
                    f"{instants.show(state.watermark)}",
                )


def lake(premises: Premises) -> Iterator[Finding]:
    """The lake opens, and tells how far each tenant's ledger is."""
    from lakehouse.catalog import configured  # noqa: PLC0415  (heavy)
    from lakehouse.model.ledger import Stage  # noqa: PLC0415

    ledger = premises.ledger
    if ledger is None:
        yield Finding("lake", Level.NOTE, "nothing landed yet", "beliefgraph land or demo")
        return
    tenants, chosen = ledger.tenants(), configured(premises.environ)
    where = f"catalog {chosen[0]} of PyIceberg's settings" if chosen else "the home's own catalog"
    yield Finding("lake", Level.FINE, f"opens ({where}); {counted(len(tenants), 'tenant')}")
    for tenant in tenants:
        commits = ledger.commits(tenant)
        believed = [commit.position for commit in commits if commit.stage is Stage.BELIEVE]
        yield Finding(
            "lake",
            Level.FINE,
            f"{tenant}: {counted(len(commits), 'commit')}, newest beliefs at position "
            f"{believed[-1] if believed else '-'}",
        )


def vault(premises: Premises) -> Iterator[Finding]:
    """The vault is whole, its owner's alone, and holds every key that the lake names."""
    from queries.surfaces.vault import check_keys, whole  # noqa: PLC0415  (heavy)

    found = whole(premises.environ)
    check_keys(found, premises.ledger)
    held = found.status()
    if not held:
        yield Finding("vault", Level.NOTE, f"{found.path}: nothing is encrypted yet")
        return
    living, gone = sum(one.living for one in held), sum(one.destroyed for one in held)
    counts = f"{counted(len(held), 'tenant')}, {counted(living, 'key')}, {gone:,} destroyed"
    told = f"{found.path}: {counts}"
    yield Finding("vault", Level.FINE, told, "Is it in your backups? Nothing else opens payloads.")


CHECKS: Final[tuple[Check, ...]] = (
    installation.python, installation.packages, installation.names,
    home, server, graph, lake, same_lake.agreement, vault,
)  # fmt: skip


def examine(environ: Mapping[str, str]) -> list[Finding]:
    """All that the checks find; an error of ours in one of them is a finding too."""
    findings: list[Finding] = []
    premises = Premises(environ)
    for check in CHECKS:
        try:
            findings.extend(check(premises))
        except BeliefgraphError as error:
            findings.append(
                Finding(check.__name__, Level.PROBLEM, error.message, error.remedy, error.category)
            )
    return findings


@click.command()
@AS_JSON
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Examine Python, packages, home, server, graph, lake and vault; say what is wrong.

    Nothing is changed or started. The exit code is 0 when no problem was found, else that of
    the first problem's kind.

    \b
    Example:
      beliefgraph doctor --json
    """
    findings = examine(os.environ)
    problems = [finding for finding in findings if finding.level is Level.PROBLEM]
    if as_json:
        record = {
            "healthy": not problems,
            "findings": [finding.as_record() for finding in findings],
        }
        click.echo(json.dumps(record, indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            click.echo(f"{finding.level.value:8} {finding.check:9} {finding.message}")
            if finding.remedy:
                click.echo(f"{'':18} {finding.remedy}")
    if problems:
        ctx.exit(EXIT_CODES[problems[0].category])
