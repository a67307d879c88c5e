"""The tables of an opened catalog: load, append, and append only if nobody was first.

`append` retries by Iceberg's own rules: appends of data rows do not conflict. `decide` is for
rows that say what comes next (a commit's position, a version): it appends to exactly the
snapshot that was read, and decides anew when another writer was first.
"""

from __future__ import annotations

import random
import secrets
import time
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    CommitStateUnknownException,
    NoSuchTableError,
)
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.table import Table
from requests.exceptions import RequestException
from sqlalchemy.exc import InterfaceError, OperationalError

from lakehouse.catalog import opening
from lakehouse.failures import AGAIN, BROKEN, answering, failed
from lakehouse.model.errors import ConflictError, IntegrityError, UnavailableError
from lakehouse.scan import file_system
from lakehouse.table_spec import TableSpec
from lakehouse.tables import COMMITS, NAMESPACE, TABLES
from lakehouse.transaction import QuickTransaction

ATTEMPTS: Final = 100
"""How often a decision is taken anew before the writer gives up."""
_READS: Final = 3
_MOVED: Final = (CommitFailedException, FileNotFoundError)
"""Another writer was first; it may even have removed the metadata file that was to be read."""
UNKNOWN: Final = (
    CommitStateUnknownException,
    OperationalError,
    InterfaceError,
    RequestException,
)
"""The catalog did not say whether it committed."""
_WAIT: Final = 0.02
"""First bound of the random wait between attempts, in seconds; it grows to ten times that."""


def open_store(home: Path, environ: Mapping[str, str]) -> Store:
    """The tables of the lake that `environ` names for PyIceberg, else of the one under `home`."""
    with opening(home, environ) as catalog:
        return Store(catalog)


class Store:
    """Tables by name, made where they are missing."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        weakref.finalize(self, catalog.close)  # Its connections end with us, or with the process.
        with answering("the catalog does not answer"):
            catalog.create_namespace_if_not_exists(NAMESPACE)
        for spec in TABLES.values():
            with answering(_silence(spec)):
                table = self._grown(spec, self._make(spec))
            _check(spec, table)

    @property
    def properties(self) -> Mapping[str, str]:
        """The catalog's settings."""
        return self._catalog.properties

    def load(self, spec: TableSpec) -> Table:
        """A fresh handle on the table's newest metadata; UnavailableError if none can be had."""
        for _ in range(_READS):
            try:
                return self._catalog.load_table((NAMESPACE, spec.name))
            except FileNotFoundError as wrong:
                moved = wrong
            except BROKEN as wrong:
                raise failed(_silence(spec), wrong) from wrong
        raise UnavailableError(f"{_silence(spec)}: {moved}", remedy=AGAIN) from moved

    def append(self, spec: TableSpec, rows: pa.Table) -> int:
        """Append rows, sorted as the table asks; the id of the snapshot that holds them."""
        if spec.sort:
            rows = rows.sort_by([(name, "ascending") for name in spec.sort])
        table = self.load(spec)
        try:
            with QuickTransaction(table) as change:
                change.append_rows(rows)
        except CommitFailedException as lost:
            raise ConflictError(
                f"table {spec.name} could not be appended to: {lost}",
                remedy="Nothing became visible. Too many writers at once: run again.",
            ) from lost
        except BROKEN as wrong:
            raise failed(_silence(spec), wrong) from wrong
        snapshot = table.current_snapshot()
        if snapshot is None:
            raise IntegrityError(
                f"table {spec.name} has no snapshot after an append",
                remedy="Check the catalog: it answered without committing.",
            )
        return snapshot.snapshot_id

    def decide(self, spec: TableSpec, rows_after: Callable[[Table], pa.Table | None]) -> bool:
        """Append what `rows_after(table)` gives to that very snapshot; None means: nothing to do.

        Called again with newer metadata whenever another writer was first or the outcome is
        unknown, so it must look whether its own rows are there. True if rows were appended.
        """
        for attempt in range(ATTEMPTS):
            table = self.load(spec)
            rows = rows_after(table)
            if rows is None:
                return attempt > 0
            try:
                with QuickTransaction(table) as change:
                    change.append_rows(rows)
            except (*_MOVED, *UNKNOWN):
                time.sleep(random.uniform(0, _WAIT * min(attempt + 1, 10)))  # noqa: S311
                continue
            except BROKEN as wrong:
                raise failed(_silence(spec), wrong) from wrong
            return True
        raise ConflictError(
            f"table {spec.name}: other writers were first {ATTEMPTS} times",
            remedy="Nothing became visible. Let fewer writers run at once, then run again.",
        )

    def clock(self) -> int:
        """What the store's own clock says (µs UTC): the time it gives a file written just now.

        The file lies beside the data, the only place that table buckets take one. They let nobody
        delete it either: it goes with what no snapshot names.
        """
        table = self.load(COMMITS)
        location = f"{table.location()}/data/clock-{secrets.token_hex(8)}"
        try:
            with table.io.new_output(location).create() as out:
                out.write(b"?")
            files, path = file_system(table, location)
            written = files.get_file_info(path).mtime_ns
        except OSError as wrong:
            raise failed(_silence(COMMITS), wrong) from wrong
        with suppress(OSError):
            table.io.delete(location)
        if written is None:
            raise UnavailableError(
                "the store gives its files no time", remedy="Use a store that keeps file times."
            )
        return int(written) // 1000

    def _make(self, spec: TableSpec) -> Table:
        try:
            return self.load(spec)
        except NoSuchTableError:
            return self._catalog.create_table_if_not_exists(
                (NAMESPACE, spec.name),
                spec.schema,
                partition_spec=spec.partition_spec,
                sort_order=spec.sort_order,
                properties=spec.table_properties,
            )

    def _grown(self, spec: TableSpec, table: Table) -> Table:
        """With the optional columns that an older version made the table without."""
        for _ in range(ATTEMPTS):
            held = set(table.schema().column_names)
            missing = [one for one in spec.columns if one[0] not in held and not one[2]]
            if not missing:
                return table
            try:
                with table.update_schema() as update:
                    for name, kind, _ in missing:
                        update.add_column(name, kind)
            except _MOVED:
                time.sleep(_WAIT)
            table = self.load(spec)
        return table


def _silence(spec: TableSpec) -> str:
    return f"the store does not answer for table {spec.name}"


def _check(spec: TableSpec, table: Table) -> None:
    """IntegrityError where an existing table lacks what readers or the commit rule need."""
    found = {column.name: str(column.field_type) for column in table.schema().fields}
    missing = [name for name, _, _ in spec.columns if name not in found]
    if missing:
        raise IntegrityError(
            f"table {NAMESPACE}.{spec.name} lacks the columns {', '.join(missing)}",
            remedy="It was made by another version: use another catalog or home.",
        )
    key = "commit.retry.num-retries"
    wanted, held = spec.table_properties[key], table.properties.get(key)
    if wanted == "0" and held != wanted:
        raise IntegrityError(
            f"table {NAMESPACE}.{spec.name} has {key} {held!r}, it must be '0'",
            remedy="Set the property to 0: with retries two commits take one position.",
        )
    if bool(spec.partition) != (table.spec() != PartitionSpec()):
        raise IntegrityError(
            f"table {NAMESPACE}.{spec.name} is partitioned otherwise than expected",
            remedy="It was made by another version: use another catalog or home.",
        )
