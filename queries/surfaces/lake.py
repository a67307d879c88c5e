"""The command `lake`: the operator's view of the record. Its verbs stand in their own modules."""

from __future__ import annotations

import click

from queries.surfaces.lake_episode import episode
from queries.surfaces.lake_retention import retention
from queries.surfaces.lake_snapshots import at, snapshots, tag
from queries.surfaces.lake_sql import sql
from queries.surfaces.lake_upkeep import compact, expire, sweep


@click.group()
def lake() -> None:
    """Look after the record: raw episodes, snapshots, tags, SQL, retention, upkeep."""


for verb in (episode, snapshots, tag, at, sql, retention, expire, compact, sweep):
    lake.add_command(verb)
