"""Snapshots of the lake's tables: listed, and chosen by id, tag or, where sound, by time.

They are the second proof, inside their window; `known_at` is answered from rows. A snapshot was
the newest at an instant only if its own successor is retained and came later: where snapshots
have expired in between nobody can tell, and the choice is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Snapshot

from lakehouse.codec_commits import entries_of
from lakehouse.keys import check_tenant
from lakehouse.model.errors import InputError
from lakehouse.model.instants import show
from lakehouse.pruning import equal_to, is_equal, is_in
from lakehouse.scan import find
from lakehouse.stamping import system_clock
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import COMMITS, TABLES

_BY_ROWS: Final = "What was known at an instant is answered from rows: `ask --known-at`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A retained snapshot. `made_at` is µs UTC by its writer's clock: no audit clock.

    `number` counts the table's snapshots from 1 without a gap, so it tells what is missing.
    (`parent_id` does not: PyIceberg clears it where the parent expired.)
    """

    table: str
    snapshot_id: int
    number: int
    parent_id: int | None
    made_at: int
    operation: str
    rows: int
    files: int
    current: bool
    tags: tuple[str, ...]


def kept(table: Table) -> list[Kept]:
    """The table's retained snapshots, oldest first."""
    named: dict[int, list[str]] = {}
    for name, ref in table.metadata.refs.items():
        if ref.snapshot_ref_type is SnapshotRefType.TAG:
            named.setdefault(ref.snapshot_id, []).append(name)
    newest = table.metadata.current_snapshot_id
    return [
        Kept(
            table=table.name()[-1],
            snapshot_id=one.snapshot_id,
            number=_sequence(one),
            parent_id=one.parent_snapshot_id,
            made_at=one.timestamp_ms * 1_000,
            operation=one.summary.operation.value if one.summary else "",
            rows=_number(one, "total-records"),
            files=_number(one, "total-data-files"),
            current=one.snapshot_id == newest,
            tags=tuple(sorted(named.get(one.snapshot_id, ()))),
        )
        for one in sorted(table.metadata.snapshots, key=_sequence)
    ]


def choose(table: Table, wanted: str | int) -> Kept:
    """The snapshot of an id, a tag, or of an instant given as µs UTC (`wanted` as an int).

    InputError where there is none, or where it cannot be told which it was; it names the
    nearest sound choices.
    """
    every = kept(table)
    if isinstance(wanted, int):
        return _by_time(table.name()[-1], every, wanted)
    for one in every:
        if wanted in one.tags or wanted == str(one.snapshot_id):
            return one
    held = ", ".join(name for one in every for name in one.tags)
    raise InputError(
        f"table {table.name()[-1]} has no snapshot {wanted!r}: it never had, or it has expired",
        remedy=f"See `beliefgraph lake snapshots {table.name()[-1]}`; tags: {held or 'none'}. "
        + _BY_ROWS,
    )


def rows_at(store: Store, spec: TableSpec, at: Kept, tenant: str, tag_name: str = "") -> pa.Table:
    """A tenant's committed rows of a table as that snapshot holds them.

    Committed is what `commits` names: at the same tag where one is given, else now.
    """
    check_tenant(tenant)
    where, exactly = equal_to("tenant", tenant), is_equal("tenant", tenant)
    if "batch_id" in spec.arrow.names and spec is not COMMITS:
        commits = store.load(COMMITS)
        then = commits.metadata.refs.get(tag_name) if tag_name else None
        held = find(commits, COMMITS, snapshot_id=then.snapshot_id if then else None)
        exactly &= is_in("batch_id", [entry.commit.batch_id for entry in entries_of(held)])
    return find(store.load(spec), spec, where, exactly=exactly, snapshot_id=at.snapshot_id)


def expired(store: Store, snapshots: Mapping[str, int | None]) -> list[str]:
    """The tables of a basis whose named snapshot is not retained any more."""
    return [
        name
        for name, snapshot_id in snapshots.items()
        if snapshot_id is not None
        and store.load(TABLES[name]).metadata.snapshot_by_id(snapshot_id) is None
    ]


def _by_time(table: str, every: Sequence[Kept], instant: int) -> Kept:
    """The one that was the newest then, if that can be told (µs UTC)."""
    if instant > (now := system_clock()):
        said = f"{show(instant)} lies in the future (it is {show(now)})"
        raise InputError(said, remedy=f"Name an instant up to now. {_BY_ROWS}")
    if not every:
        raise InputError(f"table {table} has never held a row", remedy=_BY_ROWS)
    if found := newest_at(every, instant):
        return found
    before = [one for one in every if one.made_at <= instant]
    if before:
        why = "snapshots around it have expired, or a writer's clock stepped back"
        raise _untold(table, every, instant, why)
    if every[0].number > 1:
        raise _untold(table, every, instant, "the snapshots of that time have expired")
    raise InputError(
        f"table {table} was empty at {show(instant)}: its first snapshot is of "
        f"{show(every[0].made_at)}",
        remedy=_BY_ROWS,
    )


def newest_at(every: Sequence[Kept], instant: int) -> Kept | None:
    """Of all retained ones the snapshot that was the newest then (µs UTC); None if untold.

    It can be told where the next one of the table is retained and later, and none before it
    claims to be later.
    """
    found = next((one for one in reversed(every) if one.made_at <= instant), None)
    if found is None:
        return None
    place = every.index(found)
    if any(one.made_at > instant for one in every[:place]):
        return None
    later = every[place + 1 : place + 2]
    followed = bool(later) and later[0].number == found.number + 1
    return found if found.current or followed else None


def _untold(table: str, every: Sequence[Kept], instant: int, why: str) -> InputError:
    before = [one for one in every if one.made_at <= instant][-1:]
    after = [one for one in every if one.made_at > instant][:1]
    near = ", ".join(f"{one.snapshot_id} of {show(one.made_at)}" for one in (*before, *after))
    return InputError(
        f"which snapshot of table {table} was the newest at {show(instant)} cannot be told: {why}",
        remedy=f"Choose one by id; the nearest retained: {near}. {_BY_ROWS}",
    )


def _sequence(one: Snapshot) -> int:
    return one.sequence_number or 0


def _number(one: Snapshot, name: str) -> int:
    found = one.summary.additional_properties.get(name) if one.summary else None
    return int(found or 0)
