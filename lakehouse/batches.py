"""Rows of committed batches, of whatever table, in the order of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
from pyiceberg.expressions import And, BooleanExpression

from lakehouse.pruning import MOST_NAMED, among, equal_to, is_equal
from lakehouse.scan import check_whole, committed, find
from lakehouse.stamping import Entry
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec

_BATCH: Final = ("batch_id", "ordinal")


class Batches:
    """The lake's batches; rows that no commit names are not seen."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def rows(
        self,
        spec: TableSpec,
        tenant: str,
        entries: Sequence[Entry],
        columns: Sequence[str] | None = None,
        *,
        where: BooleanExpression | None = None,
        exactly: Any = None,
    ) -> pa.Table:
        """Rows of these entries' batches, in ledger order, with `rank` (scan.committed).

        `where` prunes files, the Arrow expression `exactly` chooses rows; without it they must be
        as many as the commits counted (IntegrityError).
        """
        wanted = None if columns is None else (*columns, *_BATCH)
        if not entries:
            names = spec.arrow.names if wanted is None else wanted
            return committed(spec.arrow.empty_table().select(list(names)), entries)
        pruned: BooleanExpression = equal_to("tenant", tenant)
        if len(entries) <= MOST_NAMED:
            pruned = And(pruned, among("batch_id", [e.commit.batch_id for e in entries]))
        if where is not None:
            pruned = And(pruned, where)
        chosen = is_equal("tenant", tenant)
        if exactly is not None:
            chosen &= exactly
        found = committed(find(self._store.load(spec), spec, pruned, wanted, chosen), entries)
        if exactly is None:
            check_whole(spec, entries, found.num_rows)
        return found
