"""The command `quarantine`: what was refused, where it stood, and why."""

from __future__ import annotations

import json
import os

import click

from graph.server import home_from
from lakehouse.iceberg import open_ledger
from lakehouse.model.episodes import Refusal
from lakehouse.model.errors import InputError
from queries.surfaces.options import AS_JSON


@click.command()
@click.argument("tenant")
@click.option("--raw", is_flag=True, help="Print the refused record too, as it arrived.")
@AS_JSON
def quarantine(tenant: str, raw: bool, as_json: bool) -> None:
    """Show a tenant's refused records, each with file, line, field and reason.

    A refused record is kept here and nowhere else: correct it at its source, or correct the
    mapping, and land it again under an id of its own.

    \b
    Example:
      beliefgraph quarantine plant
    """
    ledger = open_ledger(home_from(os.environ), os.environ)
    known = ledger.tenants()
    if tenant not in known:
        raise InputError(
            f"the lake knows no tenant {tenant!r}",
            remedy=f"Known: {', '.join(known) or 'none yet; land a source first'}.",
        )
    refused = ledger.quarantined(tenant)
    if as_json:
        click.echo(json.dumps([_record(one, raw) for one in refused], indent=2))
        return
    for one in refused:
        click.echo(f"{one.location}  {one.field or 'record'}\n    {one.reason}")
        if raw:
            click.echo("    " + one.raw.decode("utf-8", "replace"))
    click.echo(f"{len(refused):,} refused" if refused else "nothing was refused")


def _record(refusal: Refusal, raw: bool) -> dict[str, str]:
    record = {
        "source": refusal.source,
        "stage": refusal.stage,
        "location": refusal.location,
        "field": refusal.field,
        "reason": refusal.reason,
    }
    if raw:
        record["raw"] = refusal.raw.decode("utf-8", "replace")
    return record
