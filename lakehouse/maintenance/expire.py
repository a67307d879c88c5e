"""Snapshots expire by count and age; tagged ones never, and days and months are tagged first.

An append costs time for every retained snapshot, so about a hundred are kept, with one for each
of the last days and months. Only snapshots go here: rows stay, and files until they are swept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from pyiceberg.exceptions import BadRequestError, CommitFailedException
from pyiceberg.table import Table

from lakehouse.failures import answering
from lakehouse.maintenance.keeper import check_ours
from lakehouse.model.errors import ConflictError, InputError
from lakehouse.snapshots import Kept, kept, newest_at
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import TABLES
from lakehouse.tags import CALENDAR

KEEP: Final = 100
LEAST: Final = 20
"""Fewer are never kept: a writer or reader may be at work on any of the newest."""
DAYS: Final = 31
MONTHS: Final = 120
_ATTEMPTS: Final = 20
_MOVED: Final = (CommitFailedException, BadRequestError, ValueError)
"""Others changed the table first: a snapshot is gone already, or has got a name."""
_US: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """What happened (or would) to one table's snapshots and to the tags of days and months."""

    table: str
    expired: int
    retained: int
    tagged: tuple[str, ...]
    untagged: tuple[str, ...]


@answering("the store does not answer while snapshots expire")
def expire(
    store: Store, *, now: int, keep: int = KEEP, older_than: int = 0, dry_run: bool = False
) -> list[Expired]:
    """Expire what is beyond the newest `keep` and more than `older_than` µs old at `now` (µs UTC).

    InputError below the floor. Every table is done by itself; a writer beside does no harm.
    """
    check_ours(store)
    if keep < LEAST:
        raise InputError(
            f"--keep {keep} is below the floor of {LEAST} snapshots",
            remedy=f"Keep at least {LEAST}.",
        )
    return [_expire(store, spec, now, keep, older_than, dry_run) for spec in TABLES.values()]


def _expire(
    store: Store, spec: TableSpec, now: int, keep: int, older_than: int, dry_run: bool
) -> Expired:
    for _ in range(_ATTEMPTS):
        table = store.load(spec)
        every = kept(table)
        wanted = dict(_calendar(every, now))
        old = {name for one in every for name in one.tags if CALENDAR.fullmatch(name)}
        stale = sorted(name for name in old if name < _oldest(name, now))
        fresh = {name: at for name, at in wanted.items() if name not in old}
        named = {ref.snapshot_id for name, ref in table.metadata.refs.items() if name not in stale}
        held = named | set(fresh.values())
        gone = [
            one.snapshot_id
            for one in every[:-keep]
            if one.snapshot_id not in held and one.made_at <= now - older_than
        ]
        told = Expired(
            table=spec.name,
            expired=len(gone),
            retained=len(every) - len(gone),
            tagged=tuple(sorted(fresh)),
            untagged=tuple(stale),
        )
        if dry_run or not (gone or fresh or stale):
            return told
        try:
            _apply(table, fresh, stale, gone)
        except _MOVED:
            continue
        return told
    raise ConflictError(
        f"table {spec.name} was changed by others {_ATTEMPTS} times while its snapshots expired",
        remedy="Nothing is lost. Run again when fewer writers are at work.",
    )


def _apply(table: Table, fresh: dict[str, int], stale: list[str], gone: list[int]) -> None:
    if fresh or stale:
        change = table.manage_snapshots()
        for name, snapshot_id in fresh.items():
            change.create_tag(snapshot_id, name)
        for name in stale:
            change.remove_tag(name)
        change.commit()
    if gone:
        table.maintenance.expire_snapshots().by_ids(gone).commit()


def _calendar(every: list[Kept], now: int) -> Iterator[tuple[str, int]]:
    """The tag of each past day and month with the snapshot that was the newest at its end.

    None where that cannot be told any more, or where the table was still empty.
    """
    if not every:
        return
    today = datetime.fromtimestamp(now / 1e6, UTC).date()
    first = datetime.fromtimestamp(every[0].made_at / 1e6, UTC).date()
    for back in range(DAYS, 0, -1):
        day = today - timedelta(days=back)
        if day >= first and (found := newest_at(every, _midnight(day + timedelta(days=1)) - 1)):
            yield f"day-{day:%Y-%m-%d}", found.snapshot_id
    begin = today.replace(day=1)
    for _ in range(MONTHS):
        end, begin = begin, (begin - timedelta(days=1)).replace(day=1)
        if end <= first:
            return
        if found := newest_at(every, _midnight(end) - 1):
            yield f"month-{begin:%Y-%m}", found.snapshot_id


def _midnight(day: object) -> int:
    moment = datetime.fromisoformat(str(day)).replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // _US


def _oldest(name: str, now: int) -> str:
    """The oldest tag of that kind which is kept."""
    today = datetime.fromtimestamp(now / 1e6, UTC).date()
    if name.startswith("day-"):
        return f"day-{today - timedelta(days=DAYS):%Y-%m-%d}"
    years, months = divmod(today.year * 12 + today.month - 1 - MONTHS, 12)
    return f"month-{years:04}-{months + 1:02}"
