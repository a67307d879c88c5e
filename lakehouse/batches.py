"""Rows of committed batches, of whatever table, in the order of the ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pyarrow as pa
from pyiceberg.expressions import And, BooleanExpression

from lakehouse.planning import Named
from lakehouse.pruning import equal_to, is_equal, is_in
from lakehouse.scan import check_whole, committed, plan, read
from lakehouse.stamping import Entry
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec

_BATCH: Final = ("batch_id", "ordinal")
_FEW: Final = 1_000
"""Names up to which most row groups are expected to hold none."""


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
        named: Named | None = None,
        exactly: Any = None,
    ) -> pa.Table:
        """Rows of these entries' batches, in ledger order, with `rank` (scan.committed).

        `where` prunes files, `named` too, and chooses the (few) rows with these values, as the
        Arrow expression `exactly` does; without both they must be as many as the commits counted
        (IntegrityError).
        """
        wanted = None if columns is None else (*columns, *_BATCH)
        if not entries:
            names = spec.arrow.names if wanted is None else wanted
            return committed(spec.arrow.empty_table().select(list(names)), entries)
        pruned: BooleanExpression = equal_to("tenant", tenant)
        if where is not None:
            pruned = And(pruned, where)
        chosen = is_equal("tenant", tenant)
        if exactly is not None:
            chosen &= exactly
        named = named or {}
        for column, names in named.items():
            chosen &= is_in(column, names)
        table = self._store.load(spec)
        batches = {"batch_id": [entry.commit.batch_id for entry in entries]}
        paths = plan(table, pruned, named={**batches, **named})
        few = any(len(names) <= _FEW for names in named.values())
        found = committed(read(table, spec, paths, wanted, chosen, few=few), entries)
        if exactly is None and not named:
            check_whole(spec, entries, found.num_rows)
        return found
