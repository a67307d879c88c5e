"""What nothing names is removed, after a period of grace: torn batches, then unreachable files.

A torn batch is one that no commit names: its writer was killed. Its files leave the table as a
snapshot; when no snapshot reaches a file any more, the file itself is removed. The grace covers
writers at work: they refuse to commit rows that are older than half of the least grace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.fs import FileSelector, FileType
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table

from lakehouse.admission import LONGEST_BATCH
from lakehouse.codec_commits import entries_of
from lakehouse.failures import answering
from lakehouse.maintenance.keeper import check_ours
from lakehouse.maintenance.reach import reached
from lakehouse.maintenance.swap import swap
from lakehouse.model.errors import InputError, IntegrityError
from lakehouse.planning import live_files
from lakehouse.scan import file_system, find, read
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import COMMITS, TABLES

LEAST_GRACE: Final = 2 * LONGEST_BATCH
GRACE: Final = 3 * LEAST_GRACE
"""Three days in microseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What is (or would be) removed of a table: files of torn batches, unreachable files, bytes."""

    table: str
    torn: tuple[str, ...]
    unreachable: tuple[str, ...]
    bytes: int


@answering("the store does not answer while files are swept")
def sweep(
    store: Store, *, grace: int = GRACE, now: int | None = None, dry_run: bool = True
) -> list[Swept]:
    """Remove what is older than `grace` µs at `now` (µs UTC, the store's own clock if None).

    InputError below the least grace, IntegrityError where a file that a snapshot names is not
    there: then nothing at all is removed.
    """
    check_ours(store)
    if grace < LEAST_GRACE:
        raise InputError(
            f"a grace of {grace / 3.6e9:g} hours is too short: a writer may be at work that long",
            remedy=f"Give at least {LEAST_GRACE / 3.6e9:g} hours.",
        )
    before = (store.clock() if now is None else now) - grace
    tables = {spec: store.load(spec) for spec in TABLES.values()}
    _check_apart(list(tables.values()))
    stale = {spec: _unreachable(store, spec, before) for spec in tables}
    told = []
    for spec, (paths, size) in stale.items():
        torn = _torn(store, spec, before)
        if not dry_run:
            _remove(store, spec, torn, paths)
        names = tuple(file.file_path for file in torn)
        told.append(Swept(table=spec.name, torn=names, unreachable=tuple(paths), bytes=size))
    return told


def _torn(store: Store, spec: TableSpec, before: int) -> list[DataFile]:
    """Old files none of whose rows is of a batch that a commit names."""
    if spec is COMMITS or "batch_id" not in spec.arrow.names:
        return []
    table = store.load(spec)
    files = live_files(table)
    if not files:
        return []
    # Commits are read after the files, so whatever was committed by then is known.
    entries = entries_of(find(store.load(COMMITS), COMMITS))
    named = pa.array([entry.commit.batch_id for entry in entries], pa.large_string())
    found = []
    for file in files:
        batches = read(table, spec, [file.file_path], ["batch_id"])["batch_id"]
        if not pc.any(pc.is_in(batches, value_set=named)).as_py():
            store_files, path = file_system(table, file.file_path)
            if _written(store_files.get_file_info(path)) < before:
                found.append(file)
    return found


def _unreachable(store: Store, spec: TableSpec, before: int) -> tuple[list[str], int]:
    """Paths of old files below the table's location that no snapshot reaches, and their bytes."""
    table = store.load(spec)
    first = reached(table)
    files, root = file_system(table, table.location())
    listed = {
        info.path: info
        for info in files.get_file_info(FileSelector(root, recursive=True))
        if info.type is FileType.File
    }
    lost = sorted(first.rows - listed.keys())
    if lost:
        raise IntegrityError(
            f"table {spec.name} names a data file that is not there: {lost[0]}",
            remedy="Restore the file. Nothing was removed.",
        )
    # What was committed while the files were listed is reached now.
    second = reached(store.load(spec))
    reach = first.rows | first.about | second.rows | second.about
    gone = [
        info
        for path, info in sorted(listed.items())
        if path not in reach and _written(info) < before
    ]
    return [info.path for info in gone], sum(info.size for info in gone)


def _remove(store: Store, spec: TableSpec, torn: Sequence[DataFile], paths: Sequence[str]) -> None:
    table = store.load(spec)
    files, _ = file_system(table, table.location())
    for path in paths:
        files.delete_file(path)
    if torn:
        swap(store, spec, torn, [], "sweep")


def _check_apart(tables: Sequence[Table]) -> None:
    """IntegrityError where one table's files lie below another's location."""
    for one, other in permutations(tables, 2):
        if one.location().rstrip("/").startswith(other.location().rstrip("/") + "/"):
            raise IntegrityError(
                f"{one.location()} lies inside {other.location()}",
                remedy="Nothing was removed: tables must have locations of their own.",
            )


def _written(info: Any) -> int:
    if info.mtime_ns is None:
        raise IntegrityError(
            f"the store gives {info.path} no time", remedy="Use a store that keeps file times."
        )
    return int(info.mtime_ns) // 1_000
