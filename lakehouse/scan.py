"""Reading rows of a table: Iceberg plans the files, PyArrow reads them by column and filter.

Measured on 167 small files: 0.55 s, PyIceberg's own reader 2.1 s. The lake is append-only, so
files never carry deletes; one that does is refused rather than misread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, Final, Generic, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from pyiceberg.expressions import AlwaysTrue, BooleanExpression
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import Table
from pyiceberg.utils.concurrent import ExecutorFactory

from lakehouse.failures import answering
from lakehouse.model.errors import ConfigurationError, IntegrityError
from lakehouse.planning import Named, live_files
from lakehouse.stamping import Entry
from lakehouse.table_spec import TableSpec

_PARQUET: Final = ds.ParquetFileFormat()
_REMEDY: Final = (
    "Run again when it does; if it is the local S3 server: beliefgraph status, then up --s3."
)
_COUNTED: Final[Mapping[str, tuple[str, ...]]] = {
    "episodes": ("episodes",),
    "payloads": ("episodes",),
    "statements": ("statements",),
    "quarantine": ("refused",),
    "beliefs": ("opened", "closed", "tightened"),
    "supporters": ("supports_opened", "supports_closed"),
}
"""By table, what a commit counts of its rows; `removed` ones lie in either of the last two."""
_T = TypeVar("_T")


def plan(
    table: Table,
    where: BooleanExpression,
    snapshot_id: int | None = None,
    named: Named | None = None,
) -> list[str]:
    """Paths of the data files that may hold rows for `where`, in no stated order.

    Of the snapshot of that id, else of the handle's newest; `named` prunes too.
    """
    with answering(_silence(table.name()[-1]), _REMEDY):
        return [file.file_path for file in live_files(table, where, snapshot_id, named)]


def read(
    table: Table,
    spec: TableSpec,
    paths: Sequence[str],
    columns: Sequence[str] | None = None,
    exactly: Any = None,
    *,
    few: bool = False,
) -> pa.Table:
    """Rows of these files for which the Arrow expression `exactly` holds; all columns if None.

    Where they are `few`, only what `exactly` asks for is read of all row groups. IntegrityError
    for a file that is gone, UnavailableError where the store does not give it.
    """
    schema = spec.arrow
    wanted = list(columns) if columns is not None else schema.names
    if not paths:
        return pa.schema([schema.field(name) for name in wanted]).empty_table()
    try:
        with answering(_silence(spec.name), _REMEDY):
            rows = dataset(table, spec, paths)
            if few:
                rows = _holding(rows, exactly)
            return rows.to_table(columns=wanted, filter=exactly)
    except FileNotFoundError as missing:
        raise IntegrityError(
            f"table {spec.name} names a data file that is not there: {missing}",
            remedy="Restore the file; the lake's files are never to be removed by hand.",
        ) from missing


def _silence(name: str) -> str:
    return f"the store does not give a file of table {name}"


def dataset(table: Table, spec: TableSpec, paths: Sequence[str]) -> ds.FileSystemDataset:
    """These files (at least one) of a table, nothing of them read yet."""
    places = [file_system(table, path) for path in paths]
    store = places[0][0]
    fragments = [_PARQUET.make_fragment(path, filesystem=store) for _, path in places]
    return ds.FileSystemDataset(fragments, spec.arrow, _PARQUET, filesystem=store)


def _holding(rows: ds.FileSystemDataset, exactly: Any) -> ds.FileSystemDataset:
    """The row groups of a dataset that hold a row for `exactly`, found by its columns alone."""
    pool = ExecutorFactory.get_or_create()  # Each file's footer: a distant store lets us wait.
    groups = pool.map(lambda file: file.split_by_row_group(exactly), rows.get_fragments())
    pieces = list(chain.from_iterable(groups))
    asked = ds.FileSystemDataset(pieces, rows.schema, _PARQUET, filesystem=rows.filesystem)
    at = asked.to_table(columns=["__fragment_index"], filter=exactly)["__fragment_index"]
    held = [pieces[place] for place in sorted(set(at.to_pylist()))]
    return ds.FileSystemDataset(held, rows.schema, _PARQUET, filesystem=rows.filesystem)


def file_system(table: Table, location: str) -> tuple[Any, str]:
    """The Arrow file system that holds a location, and the path in it."""
    if not isinstance(table.io, PyArrowFileIO):
        raise ConfigurationError(
            f"the catalog reads files through {type(table.io).__name__}",
            remedy="Set py-io-impl to pyiceberg.io.pyarrow.PyArrowFileIO for this catalog.",
        )
    scheme, netloc, path = PyArrowFileIO.parse_location(location, table.io.properties)
    return table.io.fs_by_scheme(scheme, netloc), path


def find(
    table: Table,
    spec: TableSpec,
    where: BooleanExpression | None = None,
    columns: Sequence[str] | None = None,
    exactly: Any = None,
    snapshot_id: int | None = None,
) -> pa.Table:
    """Plan and read in one."""
    return read(table, spec, plan(table, where or AlwaysTrue(), snapshot_id), columns, exactly)


class FileCache(Generic[_T]):
    """Rows of a small table as values; each data file is read once, for files never change."""

    def __init__(self, spec: TableSpec, decode: Callable[[pa.Table], list[_T]]) -> None:
        self._spec = spec
        self._decode = decode
        self._files: dict[str, list[_T]] = {}

    def of(self, table: Table) -> list[_T]:
        """The values of all rows that the handle's snapshot holds, in no stated order."""
        paths = plan(table, AlwaysTrue())
        files = {
            path: self._files.get(path) or self._decode(read(table, self._spec, [path]))
            for path in paths
        }
        self._files = files
        return [value for file in files.values() for value in file]


def committed(rows: pa.Table, entries: Sequence[Entry]) -> pa.Table:
    """Only rows whose batch is among the entries, in ledger order, with two columns more.

    `rank` is the index of the row's entry in `entries`. Rows need `batch_id` and `ordinal`.
    """
    batches = pa.array([entry.commit.batch_id for entry in entries], rows["batch_id"].type)
    rank = pc.index_in(rows["batch_id"], value_set=batches)
    ranked = rows.append_column("rank", rank).filter(pc.is_valid(rank))
    return ranked.sort_by([("rank", "ascending"), ("ordinal", "ascending")])


def check_whole(spec: TableSpec, entries: Sequence[Entry], rows: int) -> None:
    """IntegrityError where these entries' batches do not have as many rows as they counted."""
    counts = [entry.commit.counts for entry in entries]
    least = sum(one.get(name, 0) for one in counts for name in _COUNTED[spec.name])
    most = least + sum(one.get("removed", 0) for one in counts)
    if not least <= rows <= most:
        raise IntegrityError(
            f"table {spec.name} holds {rows:,} rows of positions {entries[0].commit.position} to "
            f"{entries[-1].commit.position}, their commits counted {least:,}",
            remedy="Another program changed the table: restore it from a snapshot of before "
            f"(`beliefgraph lake snapshots {spec.name}`).",
        )
