"""`lake retention`: what is past the time for which its source says that it is kept."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import click

from graph.server import home_from
from lakehouse.model import instants
from lakehouse.model.counted import counted
from queries.surfaces.lake_store import check_known, opened_store, reader_of, tenant_of
from queries.surfaces.options import AS_JSON, TENANT

if TYPE_CHECKING:
    from lakehouse.retention import Held


@click.command()
@TENANT
@AS_JSON
def retention(tenant: str | None, as_json: bool) -> None:
    """Tell what each source keeps, and what is past that; nothing is removed.

    A source states `retention: {keep: 10 years, floor: 7 years}` in its YAML. Time counts from
    the landing, a year is 366 days. What was erased is not due any more.

    \b
    Example:
      beliefgraph lake retention --tenant plant
    """
    from lakehouse.open_sql import OpenLake  # noqa: PLC0415  (heavy; --help needs none of it)
    from lakehouse.retention import held  # noqa: PLC0415
    from lakehouse.stamping import system_clock  # noqa: PLC0415
    from lakehouse.vault import open_vault  # noqa: PLC0415

    whose, store = tenant_of(tenant), opened_store()
    reader = reader_of(store)
    check_known(reader, whose)
    keys = open_vault(home_from(os.environ), os.environ).keys_by_id(
        whose, reader.subject_keys(whose)
    )
    gone = [name for name, key in keys.items() if key is None]
    declared = reader.definitions(whose, "source")
    found = held(OpenLake(store, whose), declared, gone, system_clock())
    if as_json:
        told = {"tenant": whose, "sources": [_record(one) for one in found]}
        click.echo(json.dumps(told, indent=2))
        return
    for one in found:
        click.echo(_line(one, whose))


def _line(one: Held, tenant: str) -> str:
    since = f" since {instants.show(one.oldest)}" if one.oldest is not None else ""
    holds = f"{one.source}: {counted(one.episodes, 'episode')}{since}"
    if one.retention is None:
        return f"{holds}, nothing declared: beliefgraph run {tenant} records what its YAML says"
    keep, floor = one.retention.keep, one.retention.floor
    if keep is None and not floor:
        return f"{holds}, kept for ever"
    kept = "for ever" if keep is None else counted(keep, "day")
    return (
        f"{holds}, kept {kept}, at least {counted(floor, 'day')}: "
        f"{one.due:,} due, {one.erasable:,} past the floor"
    )


def _record(one: Held) -> dict[str, object]:
    return {
        "source": one.source,
        "declared": one.retention is not None,
        "keep_days": one.retention.keep if one.retention else None,
        "floor_days": one.retention.floor if one.retention else None,
        "episodes": one.episodes,
        "oldest": None if one.oldest is None else instants.show(one.oldest),
        "past_floor": one.erasable,
        "due": one.due,
    }
