"""Tags of the lake: a name for every table's snapshot of one moment, which then never expires."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pyiceberg.exceptions import CommitFailedException
from pyiceberg.table import Table
from pyiceberg.table.refs import SnapshotRefType
from pyiceberg.table.snapshots import Snapshot

from lakehouse.codec_commits import entries_of
from lakehouse.failures import answering
from lakehouse.model.errors import ConflictError, InputError
from lakehouse.pruning import equal_to, is_equal, is_in
from lakehouse.scan import find
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import COMMITS, TABLES

_TAG: Final = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}", re.ASCII)
CALENDAR: Final = re.compile(r"day-\d{4}-\d\d-\d\d|month-\d{4}-\d\d", re.ASCII)
"""Tags that upkeep sets and removes by itself."""
_ATTEMPTS: Final = 20


@answering("the store does not answer while a tag is set")
def tag(store: Store, name: str) -> dict[str, int]:
    """Tag every table's current snapshot; the snapshot id by table, empty tables left out.

    `commits` is tagged first and the data tables after it, so every batch that the tagged
    commits name is in the tagged tables. A tagging that was cut off is completed; what was empty
    then stays out. InputError where the name cannot be used or is taken.
    """
    if not _TAG.fullmatch(name) or name == "main" or CALENDAR.fullmatch(name):
        raise InputError(
            f"{name!r} cannot name a tag",
            remedy="Begin with a letter; letters, digits, dots, dashes and underscores follow. "
            "Tags of days and months are set by upkeep.",
        )
    held, commits = tagged(store, name), store.load(COMMITS)
    if held and COMMITS.name not in held:
        raise InputError(
            f"tag {name!r} names {', '.join(held)}, but no commits: its removal was cut off",
            remedy=f"Remove it first: `beliefgraph lake tag {name} --remove`.",
        )
    then = commits.snapshot_by_name(name)
    missing = [spec for spec in _commits_first() if _lacks(store.load(spec), name, then)]
    if not missing:
        raise InputError(
            f"tag {name!r} exists already",
            remedy="Choose another name, or remove it: `beliefgraph lake tag NAME --remove`.",
        )
    for spec in missing:
        _set(store, spec, name)
    return tagged(store, name)


def tagged(store: Store, name: str) -> dict[str, int]:
    """The snapshot id that carries the tag, by table."""
    found = {}
    for spec in TABLES.values():
        ref = store.load(spec).metadata.refs.get(name)
        if ref is not None and ref.snapshot_ref_type is SnapshotRefType.TAG:
            found[spec.name] = ref.snapshot_id
    return found


def remove_tag(store: Store, name: str) -> list[str]:
    """Take a tag off every table that carries it; their names. InputError for an unknown one.

    Off `commits` last: while that has it, what the others hold beyond it does not count.
    """
    names = sorted(tagged(store, name), key=lambda table: table == COMMITS.name)
    if not names:
        raise InputError(f"no table has a tag {name!r}", remedy=_known_tags(store))
    for table in names:
        _changed(store, TABLES[table], name, None)
    return names


def check_held(store: Store, spec: TableSpec, name: str, tenant: str) -> None:
    """InputError where a tag left the table out because it was empty, as far as can be told.

    It can where the table is empty to this day, or holds no row of the tenant that the tagged
    `commits` name: rows stay. Else a tagging may have been cut off, and `choose` refuses.
    """
    held = tagged(store, name)
    if spec.name in held or COMMITS.name not in held:
        return
    table = store.load(spec)
    if table.metadata.current_snapshot_id is not None:
        if "batch_id" not in spec.arrow.names:
            return
        then = find(store.load(COMMITS), COMMITS, snapshot_id=held[COMMITS.name])
        batches = [entry.commit.batch_id for entry in entries_of(then)]
        exactly = is_equal("tenant", tenant) & is_in("batch_id", batches)
        if find(table, spec, equal_to("tenant", tenant), ["batch_id"], exactly).num_rows:
            return
    raise InputError(
        f"table {spec.name} was empty for tenant {tenant!r} when tag {name!r} was set",
        remedy=f"Tables with that tag: {', '.join(held)}.",
    )


def _commits_first() -> Iterator[TableSpec]:
    yield COMMITS
    yield from (spec for spec in TABLES.values() if spec is not COMMITS)


def _lacks(table: Table, name: str, then: Snapshot | None) -> bool:
    """Whether it has no tag, and held something at the tagged snapshot of `commits` if given."""
    if name in table.metadata.refs or table.metadata.current_snapshot_id is None:
        return False
    oldest = min(one.timestamp_ms for one in table.metadata.snapshots)
    return then is None or oldest <= then.timestamp_ms


def _set(store: Store, spec: TableSpec, name: str) -> None:
    snapshot_id = store.load(spec).metadata.current_snapshot_id
    assert snapshot_id is not None
    _changed(store, spec, name, snapshot_id)


def _changed(store: Store, spec: TableSpec, name: str, snapshot_id: int | None) -> None:
    """Set (or with None remove) a tag; again where a writer moved the table meanwhile."""
    for _ in range(_ATTEMPTS):
        table = store.load(spec)
        if (snapshot_id is None) == (name not in table.metadata.refs):
            return
        change = table.manage_snapshots()
        if snapshot_id is None:
            change.remove_tag(name)
        else:
            change.create_tag(snapshot_id, name)
        try:
            change.commit()
        except CommitFailedException:
            continue
        return
    raise ConflictError(
        f"table {spec.name} was changed by others {_ATTEMPTS} times while a tag was set",
        remedy="Run again: a tagging that was cut off is completed.",
    )


def _known_tags(store: Store) -> str:
    names = {
        name
        for spec in TABLES.values()
        for name, ref in store.load(spec).metadata.refs.items()
        if ref.snapshot_ref_type is SnapshotRefType.TAG
    }
    return "Known ones: " + (", ".join(sorted(names)) or "none yet") + "."
