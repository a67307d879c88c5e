"""PyIceberg's transaction without its copies: staged metadata is worked out once per change.

PyIceberg copies all of a table's metadata, every retained snapshot, each time it is looked at:
twenty times an append, which made it three times as dear at seventy snapshots. Nothing writes to
the value that is looked at, so one is enough until something is staged.
"""

from __future__ import annotations

from typing import Self

import pyarrow as pa
from pyiceberg.table import Table, Transaction
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.update import TableUpdate

from lakehouse.admission import check_in_time
from lakehouse.stamping import system_clock
from lakehouse.writing import data_files


class QuickTransaction(Transaction):
    """Use it where `table.transaction()` stands; leaving its block commits."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._began = system_clock()
        self._worked_out: tuple[TableMetadata, tuple[TableUpdate, ...], TableMetadata] | None = None
        self._for_identity = False

    @property
    def table_metadata(self) -> TableMetadata:
        """The table's metadata with what is staged."""
        base, staged = self._table.metadata, self._updates
        for_identity, self._for_identity = self._for_identity, False
        if not staged or for_identity:
            return base
        known = self._worked_out
        if known is None or known[0] is not base or known[1] is not staged:
            known = (base, staged, super().table_metadata)
            self._worked_out = known
        return known[2]

    def commit_transaction(self) -> Table:
        """As PyIceberg's, which looks first at the table's UUID: nothing staged changes that.

        ConflictError where its files were written so long ago (this process was suspended) that
        they may have been swept.
        """
        check_in_time(self._began, system_clock())
        self._for_identity = True
        try:
            return super().commit_transaction()
        finally:
            self._for_identity = False

    def __enter__(self) -> Self:
        """Begin; leaving the block commits."""
        super().__enter__()
        return self

    def append_rows(self, rows: pa.Table) -> None:
        """Write rows in the table's own schema and stage their files."""
        with self._append_snapshot_producer({}) as staged:
            for file in data_files(self.table_metadata, rows, self._table.io, staged.commit_uuid):
                staged.append_data_file(file)
