"""A tenant's statements in the lake: PyIceberg plans the files, DuckDB reads them.

Commits are read first, so every batch they name is in the statements table that is read after
them; rows of other batches are not told. Files of the local disk are read by DuckDB itself, those
of any other store through PyArrow. A question opens only the buckets of its subjects.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow.fs import LocalFileSystem
from pyiceberg.table import Table
from pyiceberg.transforms import BucketTransform
from pyiceberg.types import StringType

from lakehouse.asof.relations import HEARD, Statements
from lakehouse.codec_commits import entries_of
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Stage
from lakehouse.pruning import equal_to
from lakehouse.scan import file_system, find
from lakehouse.stamping import Entry, check_contiguous, select
from lakehouse.store import Store
from lakehouse.tables import COMMITS, STATEMENTS, SUBJECT_BUCKETS

_FEW: Final = 200
"""Up to so many subjects a question is narrowed to their buckets and rows."""
_PATTERN: Final = frozenset("*?[")
_bucket: Final = BucketTransform(SUBJECT_BUCKETS).transform(StringType())


@dataclass(frozen=True, slots=True)
class _File:
    """A data file and the subject bucket it holds; None for what has no subject."""

    path: str
    bucket: int | None


class LakeStatements(Statements):
    """The statements of a tenant's extract commits up to a position."""

    def __init__(
        self, store: Store, tenant: str, *, through: int | None = None, at: int | None = None
    ) -> None:
        """`through` is the position of the last extract commit heard; None hears all.

        `at` is the snapshot of `statements` to read, a retained one; None reads the newest.
        """
        commits = store.load(COMMITS)
        entries = sorted(
            entries_of(find(commits, COMMITS)), key=lambda entry: entry.commit.position
        )
        check_contiguous(entries)
        self._table = store.load(STATEMENTS)
        heard = select(entries, tenant, Stage.EXTRACT, through=through)
        super().__init__(tenant, _heard(heard))
        self._said = sum(entry.commit.counts.get("statements", 0) for entry in heard)
        self.snapshots: Final[Mapping[str, int | None]] = {
            COMMITS.name: commits.metadata.current_snapshot_id,
            STATEMENTS.name: self._table.metadata.current_snapshot_id if at is None else at,
        }
        """The snapshot of each table that was read; None for an empty one."""
        self._files = _files(self._table, tenant, at)
        self._narrowed = False
        self._store_as("stored", self._painting(None), None)
        self._store_as("stored_undoing", [f.path for f in self._files if f.bucket is None], None)
        self.tell()

    @property
    def complete(self) -> bool:
        """True where the files that are read hold every statement of the commits heard."""
        paths = [file.path for file in self._files]
        rows = _rows(self.connection, self._table, paths).select("batch_id")
        rows.create_view("stored_batches", replace=True)
        found = self.ask("count_heard")["statements"][0].as_py()
        return int(found) == self._said

    @property
    def paths(self) -> list[str]:
        """The local paths, or the names in their store, of the tenant's data files."""
        return [file_system(self._table, file.path)[1] for file in self._files]

    def about(self, subjects: Collection[str] | None) -> None:
        """Narrow what is stored to these subjects, where they are few."""
        few = subjects is not None and len(subjects) <= _FEW
        if few or self._narrowed:
            self._store_as(
                "stored", self._painting(subjects if few else None), subjects if few else None
            )
            self._narrowed = few

    def _painting(self, subjects: Collection[str] | None) -> list[str]:
        buckets = None if subjects is None else {_bucket(subject) for subject in subjects}
        return [
            file.path
            for file in self._files
            if file.bucket is not None and (buckets is None or file.bucket in buckets)
        ]

    def _store_as(self, name: str, paths: Sequence[str], subjects: Collection[str] | None) -> None:
        """Have a view of these files' rows, of these subjects only if given."""
        rows = _rows(self.connection, self._table, paths)
        if subjects is not None and subjects:
            named = map(duckdb.ConstantExpression, sorted(subjects))
            rows = rows.filter(duckdb.ColumnExpression("subject").isin(*named))
        rows.create_view(name, replace=True)


def _heard(entries: Sequence[Entry]) -> pa.Table:
    return pa.Table.from_pydict(
        {
            "batch_id": [entry.commit.batch_id for entry in entries],
            "recorded_at": [entry.commit.recorded_at for entry in entries],
            "first_seq": [entry.first_seq for entry in entries],
        },
        HEARD,
    )


def _files(table: Table, tenant: str, at: int | None) -> list[_File]:
    """The tenant's data files; IntegrityError where one carries deletes."""
    place = [field.name for field in table.spec().fields].index("subject_bucket")
    found = []
    scan = table.scan(row_filter=equal_to("tenant", tenant), snapshot_id=at)
    for task in scan.plan_files():
        if task.delete_files:
            raise IntegrityError(
                f"{task.file.file_path} carries deletes, the lake is append-only",
                remedy="Rewrite the file (copy-on-write); another engine changed the table.",
            )
        found.append(_File(task.file.file_path, task.file.partition[place]))
    return found


def _rows(connection: Any, table: Table, paths: Sequence[str]) -> Any:
    if not paths:
        return connection.from_arrow(STATEMENTS.arrow.empty_table())
    places = [file_system(table, path) for path in paths]
    store, names = places[0][0], [name for _, name in places]
    if isinstance(store, LocalFileSystem) and not any(_PATTERN & set(name) for name in names):
        return connection.read_parquet(names, hive_partitioning=False)
    form = ds.ParquetFileFormat()
    fragments = [form.make_fragment(name, filesystem=store) for name in names]
    return connection.from_arrow(
        ds.FileSystemDataset(fragments, STATEMENTS.arrow, form, filesystem=store)
    )
