"""`lake expire`, `lake compact`, `lake sweep`: upkeep by hand, compared before and after."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from lakehouse.model.counted import counted
from lakehouse.tables import TABLES
from queries.surfaces.lake_store import TABLE, opened_store
from queries.surfaces.options import AS_JSON

if TYPE_CHECKING:
    from lakehouse.maintenance.proof import Fingerprints

_HOUR: Final = 3_600_000_000
_DRY: Final = click.option("--dry-run", is_flag=True, help="Only tell what would be done.")


@click.command()
@click.option("--keep", type=int, default=100, show_default=True, help="How many of the newest.")
@click.option("--older-than", type=click.FloatRange(0), default=0, metavar="DAYS",
              help="Only those older than so many days.")  # fmt: skip
@_DRY
@AS_JSON
def expire(keep: int, older_than: float, dry_run: bool, as_json: bool) -> None:
    """Expire old snapshots; rows and every answer stay.

    The newest are kept, every tagged one, and the last one of each of the past 31 days and 120
    months (tagged day-… and month-…). Appends cost time for every snapshot that is retained.

    \b
    Example:
      beliefgraph lake expire --dry-run
    """
    from lakehouse.maintenance import expire as expiring  # noqa: PLC0415  (heavy)
    from lakehouse.stamping import system_clock  # noqa: PLC0415

    store = opened_store()
    before = None if dry_run else _before(store)
    age = int(older_than * 24 * _HOUR)
    done = expiring.expire(store, now=system_clock(), keep=keep, older_than=age, dry_run=dry_run)
    _told(store, before, done, as_json)


@click.command()
@click.argument("table", type=TABLE, required=False)
@_DRY
@AS_JSON
def compact(table: str | None, dry_run: bool, as_json: bool) -> None:
    """Merge small data files of TABLE, or of every table; writers may be at work.

    \b
    Example:
      beliefgraph lake compact commits
    """
    from lakehouse.maintenance import compact as compacting  # noqa: PLC0415  (heavy)

    store = opened_store()
    before = None if dry_run else _before(store)
    specs = [TABLES[table]] if table else []
    _told(store, before, compacting.compact(store, specs, dry_run=dry_run), as_json)


@click.command()
@click.option("--grace", type=float, default=72, show_default=True, metavar="HOURS",
              help="Only what is older; at least 24.")  # fmt: skip
@click.option("--delete", is_flag=True, help="Remove the files; without it they are only told.")
@AS_JSON
def sweep(grace: float, delete: bool, as_json: bool) -> None:
    """Tell (or with --delete remove) files that no snapshot and rows that no commit names.

    \b
    Example:
      beliefgraph lake sweep
      beliefgraph lake sweep --delete
    """
    from lakehouse.maintenance import sweep as sweeping  # noqa: PLC0415  (heavy)

    store = opened_store()
    before = _before(store) if delete else None
    done = sweeping.sweep(store, grace=int(grace * _HOUR), dry_run=not delete)
    _told(store, before, done, as_json)


def _before(store: Any) -> Fingerprints:
    from lakehouse.maintenance.proof import fingerprints  # noqa: PLC0415  (heavy)

    return fingerprints(store)


def _told(store: Any, before: Fingerprints | None, done: Sequence[Any], as_json: bool) -> None:
    """What was done, one table a line; what is believed must be as it was."""
    if before is not None:
        from lakehouse.maintenance.proof import check_same  # noqa: PLC0415  (heavy)

        check_same(store, before)
    records = [asdict(one) for one in done]
    compared = len(before.found) if before else 0
    if as_json:
        told = {"dry_run": before is None, "compared": compared, "tables": records}
        click.echo(json.dumps(told, indent=2))
        return
    for record in records:
        numbers = (_number(name, value) for name, value in record.items() if name != "table")
        click.echo(f"{record['table']:<14}{', '.join(numbers)}")
    click.echo(
        "nothing was changed: a dry run"
        if before is None
        else f"same rows and beliefs before and after, {counted(compared, 'comparison')}"
    )


def _number(name: str, value: Any) -> str:
    """`2 files`, `1 file`, `0 expired`; of names how many there are."""
    number = len(value) if isinstance(value, tuple) else value
    return counted(number, name[:-1]) if name.endswith("s") else f"{number:,} {name}"
