"""Small data files of a partition are merged into one; every row stays what and whose it was.

A file joins when it is no larger than a few times what is smaller than it, so a row is rewritten
a bounded number of times however many commits come. Files with rows of a batch that no commit
names stay apart: such a batch may yet be committed, or will be swept.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.manifest import DataFile
from pyiceberg.table import Table

from lakehouse.codec_commits import entries_of
from lakehouse.failures import answering
from lakehouse.maintenance.keeper import check_ours
from lakehouse.maintenance.swap import swap
from lakehouse.model.errors import ConfigurationError, IntegrityError
from lakehouse.planning import live_files
from lakehouse.scan import find, read
from lakehouse.stamping import system_clock
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import COMMITS, DEFINITIONS, PUBLICATIONS, TABLES
from lakehouse.writing import data_files

LEAST: Final = 8
"""So many files of a partition are worth merging."""
TARGET: Final = 64 * 1024 * 1024
"""A merged file grows up to about so many bytes."""
_TINY: Final = 64 * 1024
_TIMES: Final = 4
_LINES: Final[Mapping[str, tuple[str, ...]]] = {
    COMMITS.name: ("position",),
    DEFINITIONS.name: ("tenant", "kind", "name", "version"),
    PUBLICATIONS.name: ("ordinal",),
}
"""The order of the tables whose rows belong to no batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """What was (or would be) merged in one table."""

    table: str
    files: int
    merged: int
    into: int
    rows: int


@answering("the store does not answer while files are merged")
def compact(
    store: Store, specs: Sequence[TableSpec] = (), *, least: int = LEAST, dry_run: bool = False
) -> list[Compacted]:
    """Merge the small files of these tables (all if none are given), where it is worth it."""
    check_ours(store)
    return [_compact(store, spec, least, dry_run) for spec in specs or TABLES.values()]


def _compact(store: Store, spec: TableSpec, least: int, dry_run: bool) -> Compacted:
    committed = [entry.commit.batch_id for entry in entries_of(find(store.load(COMMITS), COMMITS))]
    table = store.load(spec)
    _check_known(table, spec)
    files = live_files(table)
    merged = into = rows = 0
    for group in _groups(table, files, least):
        chosen, held = _readable(table, spec, group, committed)
        if len(chosen) < least:
            continue
        merged, rows = merged + len(chosen), rows + held.num_rows
        if dry_run:
            into += 1
            continue
        began = system_clock()
        written = _written(table, spec, _sorted(spec, held, committed))
        swap(store, spec, chosen, written, "compact", began=began)
        into += len(written)
    return Compacted(table=spec.name, files=len(files), merged=merged, into=into, rows=rows)


def _check_known(table: Table, spec: TableSpec) -> None:
    """ConfigurationError for columns that we do not know: what they hold would not be merged."""
    unknown = [one.name for one in table.schema().fields if one.name not in spec.arrow.names]
    if unknown:
        raise ConfigurationError(
            f"table {spec.name} has columns that this version does not know: {', '.join(unknown)}",
            remedy="Nothing was changed. Let the version that added them merge its files.",
        )


def _groups(table: Table, files: Sequence[DataFile], least: int) -> Iterator[list[DataFile]]:
    """Files of one partition that are worth merging, the smallest first."""
    parts: dict[tuple[object, ...], list[DataFile]] = defaultdict(list)
    for file in files:
        if file.spec_id == table.metadata.default_spec_id:
            parts[tuple(file.partition[at] for at in range(len(file.partition)))].append(file)
    for part in parts.values():
        group: list[DataFile] = []
        total = 0
        for file in sorted(part, key=lambda one: one.file_size_in_bytes):
            size = file.file_size_in_bytes
            if size > max(_TINY, _TIMES * total) or total + size > TARGET:
                break
            group.append(file)
            total += size
        if len(group) >= least:
            yield group


def _readable(
    table: Table, spec: TableSpec, group: Sequence[DataFile], committed: Sequence[str]
) -> tuple[list[DataFile], pa.Table]:
    """The files all of whose rows are committed, and their rows."""
    rows = read(table, spec, [file.file_path for file in group])
    if spec.name in _LINES or _all_named(rows, committed):
        return list(group), rows
    chosen, parts = [], [spec.arrow.empty_table()]
    for file in group:
        part = read(table, spec, [file.file_path])
        if _all_named(part, committed):
            chosen.append(file)
            parts.append(part)
    return chosen, pa.concat_tables(parts)


def _all_named(rows: pa.Table, committed: Sequence[str]) -> bool:
    named = pc.is_in(rows["batch_id"], value_set=pa.array(committed, pa.large_string()))
    return bool(pc.all(named, min_count=0).as_py())


def _sorted(spec: TableSpec, rows: pa.Table, committed: Sequence[str]) -> pa.Table:
    """Rows as the table asks, then in the order of their commits."""
    if spec.name in _LINES:
        return rows.sort_by([(name, "ascending") for name in _LINES[spec.name]])
    rank = pc.index_in(rows["batch_id"], value_set=pa.array(committed, pa.large_string()))
    keys = [(name, "ascending") for name in (*spec.sort, "rank", "ordinal")]
    return rows.append_column("rank", rank).sort_by(keys).drop_columns(["rank"])


def _written(table: Table, spec: TableSpec, rows: pa.Table) -> list[DataFile]:
    """New files with these rows, read back and compared. IntegrityError where they differ."""
    files = list(data_files(table.metadata, rows, table.io, uuid.uuid4()))
    back = read(table, spec, [file.file_path for file in files])
    if not back.equals(rows.cast(spec.arrow)):
        for file in files:
            table.io.delete(file.file_path)
        raise IntegrityError(
            f"merged files of table {spec.name} do not read back as they were written",
            remedy="Nothing was changed. Check the store's disk, then run again.",
        )
    return files
