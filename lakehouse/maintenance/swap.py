"""Data files of a table are exchanged for others that hold the same rows, in one snapshot.

Optimistic, beside any writer: the exchange is built on the newest metadata and tried again when
another commit was first. What has been added meanwhile stays; a file that somebody else has
taken out meanwhile ends it, with nothing changed. New files are removed only where every answer
was heard: a commit that is still on its way would name what is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyiceberg.exceptions import CommitFailedException, ValidationException
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.manifest import DataFile

from lakehouse.admission import check_in_time
from lakehouse.model.errors import ConflictError
from lakehouse.scan import plan
from lakehouse.stamping import system_clock
from lakehouse.store import UNKNOWN, Store
from lakehouse.table_spec import TableSpec
from lakehouse.transaction import QuickTransaction

NOTE: Final = "beliefgraph.upkeep"
"""Snapshot property that says which upkeep made a snapshot."""
_ATTEMPTS: Final = 20


def swap(
    store: Store,
    spec: TableSpec,
    old: Sequence[DataFile],
    new: Sequence[DataFile],
    note: str,
    *,
    began: int | None = None,
) -> None:
    """Take `old` out and put `new` in. ConflictError where it could not be done; `new` is removed.

    After an unknown outcome the table itself is asked, and `new` is left for the sweep. `began`
    (µs UTC) is when `new` was begun: ConflictError too where it may have been swept since.
    """
    heard = True
    leaving, coming = {file.file_path for file in old}, {file.file_path for file in new}
    for _ in range(_ATTEMPTS):
        table = store.load(spec)
        live = set(plan(table, AlwaysTrue()))
        if coming <= live and not leaving & live:
            return
        if not leaving <= live:
            break
        change = QuickTransaction(table)
        with change.update_snapshot(snapshot_properties={NOTE: note}).overwrite() as files:
            for file in old:
                files.delete_data_file(file)
            for file in new:
                files.append_data_file(file)
        check_in_time(system_clock() if began is None else began, system_clock())
        try:
            change.commit_transaction()
        except (CommitFailedException, ValidationException):
            continue
        except UNKNOWN:
            heard = False
            continue
        return
    table = store.load(spec)
    for path in coming - set(plan(table, AlwaysTrue())) if heard else ():
        table.io.delete(path)
    raise ConflictError(
        f"files of table {spec.name} could not be exchanged: others changed it meanwhile",
        remedy="Nothing was changed. Let one upkeep run at a time, then run again.",
    )
