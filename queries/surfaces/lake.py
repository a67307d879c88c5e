"""The command `lake`: the operator's view of the record. Its verbs stand in their own modules."""

from __future__ import annotations

import click

from queries.surfaces.lake_snapshots import at, snapshots, tag
from queries.surfaces.lake_sql import sql
from queries.surfaces.lake_upkeep import compact, expire, sweep


@click.group()
def lake() -> None:
    """Look after the record: snapshots, tags, SQL, and its upkeep."""


for verb in (snapshots, tag, at, sql, expire, compact, sweep):
    lake.add_command(verb)
