"""`lake snapshots`, `lake tag`, `lake at`: tables as they once were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from lakehouse.model import instants
from lakehouse.model.counted import counted
from lakehouse.tables import INSTANTS, TABLES
from queries.basis import instant, zone_named
from queries.surfaces.lake_store import (
    TABLE,
    check_known,
    opened_store,
    reader_of,
    tenant_of,
    told_rows,
)
from queries.surfaces.options import AS_JSON, TENANT, ZONE

if TYPE_CHECKING:
    from lakehouse.snapshots import Kept


@click.command()
@click.argument("table", type=TABLE, required=False)
@AS_JSON
def snapshots(table: str | None, as_json: bool) -> None:
    """List the retained snapshots of TABLE, or how many each table has.

    \b
    Example:
      beliefgraph lake snapshots beliefs
    """
    from lakehouse.snapshots import kept  # noqa: PLC0415  (heavy; --help needs none of it)

    store = opened_store()
    found = {name: kept(store.load(TABLES[name])) for name in ([table] if table else list(TABLES))}
    if as_json:
        records = {
            name: {
                "metadata": store.load(TABLES[name]).metadata_location,
                "snapshots": [_record(one) for one in every],
            }
            for name, every in found.items()
        }
        click.echo(json.dumps(records, indent=2))
    elif table is None:
        for name, every in found.items():
            since = f", since {instants.show(every[0].made_at)}" if every else ""
            noun = "snapshot" if len(every) == 1 else "snapshots"
            click.echo(f"{name:<14}{len(every):>6,} {noun}{since}")
    else:
        for one in found[table]:
            notes = (*(("newest",) if one.current else ()), *(f"tag {t}" for t in one.tags))
            click.echo(
                f"{one.snapshot_id:<20} {instants.show(one.made_at):<28}{one.rows:>12,} rows"
                f"{one.files:>8,} files  {one.operation:<10}{', '.join(notes)}".rstrip()
            )


@click.command()
@click.argument("name")
@click.option("--remove", is_flag=True, help="Take the tag off instead.")
@AS_JSON
def tag(name: str, remove: bool, as_json: bool) -> None:
    """Name the lake as it is now, every table of it; a tagged snapshot never expires.

    \b
    Example:
      beliefgraph lake tag audit-2026
    """
    from lakehouse import tags  # noqa: PLC0415

    store = opened_store()
    if remove:
        gone = tags.remove_tag(store, name)
        removed = json.dumps({"tag": name, "removed": gone}, indent=2)
        click.echo(removed if as_json else f"removed {name} from {', '.join(gone)}")
        return
    found = tags.tag(store, name)
    if as_json:
        ids = {table: str(one) for table, one in found.items()}
        click.echo(json.dumps({"tag": name, "snapshots": ids}, indent=2))
        return
    for table, one in found.items():
        click.echo(f"{table:<14}{one}")


@click.command()
@click.argument("when")
@click.argument("table", type=TABLE)
@TENANT
@click.option("--limit", type=click.IntRange(0), default=20, show_default=True, help="Most rows.")
@ZONE
@AS_JSON
def at(
    when: str, table: str, tenant: str | None, limit: int, zone: str | None, as_json: bool
) -> None:
    """Read TABLE as a snapshot holds it: a tenant's committed rows.

    WHEN is a snapshot id, a tag, or an instant. An instant works only where it can be told which
    snapshot was the newest then; it is the store's clock, not the recorded one: what was *known*
    at an instant is asked with `ask --known-at`.

    \b
    Examples:
      beliefgraph lake at audit-2026 beliefs --tenant plant
      beliefgraph lake at 2026-11-30T08:00Z commits --tenant plant
    """
    from lakehouse import snapshots as taken  # noqa: PLC0415
    from lakehouse import tags  # noqa: PLC0415

    whose, store, spec = tenant_of(tenant), opened_store(), TABLES[table]
    check_known(reader_of(store), whose)
    named = when[:1].isalpha()
    wanted = when if named or when.isdigit() else instant("WHEN", when, zone_named(zone))
    if named:
        tags.check_held(store, spec, when, whose)
    chosen = taken.choose(store.load(spec), wanted)
    rows = taken.rows_at(store, spec, chosen, whose, when if named else "")
    shown = told_rows(rows.slice(0, limit), INSTANTS)
    if as_json:
        told = {"snapshot": _record(chosen), "tenant": whose, "rows": rows.num_rows}
        click.echo(json.dumps({**told, "shown": shown}, indent=2, ensure_ascii=False))
        return
    click.echo(
        f"{table} at snapshot {chosen.snapshot_id} of {instants.show(chosen.made_at)}: "
        f"{counted(rows.num_rows, 'row')} of tenant {whose}"
    )
    for row in shown:
        held = {name: value for name, value in row.items() if value is not None}
        click.echo(json.dumps(held, ensure_ascii=False))
    if rows.num_rows > len(shown):
        click.echo(f"… {rows.num_rows - len(shown):,} more; --limit tells how many are shown")


def _record(one: Kept) -> dict[str, object]:
    return {
        "table": one.table,
        "snapshot": str(one.snapshot_id),
        "parent": None if one.parent_id is None else str(one.parent_id),
        "made_at": instants.show(one.made_at),
        "operation": one.operation,
        "rows": one.rows,
        "files": one.files,
        "newest": one.current,
        "tags": list(one.tags),
    }
