"""The `commits` table, the only linearisation point: what it names exists, in its order.

A commit's position, stamp and first `seq` are taken by one append to exactly the snapshot that
was read, with no retry of the store's. The loser reads again, is stamped anew and tries again;
its data rows stay as they are. Data files never change, so each is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pyarrow as pa
from pyiceberg.table import Table

from lakehouse.codec_commits import commit_row, entries_of
from lakehouse.model.ledger import Commit
from lakehouse.scan import FileCache
from lakehouse.stamping import Draft, Entry, Now, check_contiguous, enter
from lakehouse.store import Store
from lakehouse.tables import COMMITS

Admit = Callable[[Sequence[Entry]], None]
"""Looks at every entry so far and raises where the batch may not follow them."""
GROUP_BYTES: Final = 64 * 1024 * 1024
"""Payloads that a group of commits holds at most, but for its last commit."""


class CommitLog:
    """Entries of the lake, all tenants."""

    def __init__(self, store: Store, now: Now) -> None:
        self._store = store
        self._now = now
        self._files = FileCache(COMMITS, entries_of)
        self._known: tuple[int | None, tuple[Entry, ...]] = (None, ())

    def entries(self) -> tuple[Entry, ...]:
        """All entries by position; IntegrityError where one is missing or doubled."""
        return self._read(self._store.load(COMMITS))

    def append(self, draft: Draft, admit: Admit) -> Commit:
        """Make a batch known; `admit` is asked again each time another writer was first."""
        taken: list[Commit] = []

        def rows_after(table: Table) -> pa.Table | None:
            entries = self._read(table)
            if mine := _of_batch(entries, draft.batch_id):
                taken.append(mine)
                return None
            admit(entries)
            entry = enter(entries, draft, self._now, self._store.clock)
            taken.append(entry.commit)
            return commit_row(entry)

        self._store.decide(COMMITS, rows_after)
        return taken[-1]

    def _read(self, table: Table) -> tuple[Entry, ...]:
        snapshot = table.metadata.current_snapshot_id
        known, entries = self._known
        if snapshot is not None and snapshot == known:
            return entries
        entries = tuple(sorted(self._files.of(table), key=lambda entry: entry.commit.position))
        check_contiguous(entries)
        self._known = (snapshot, entries)
        return entries


def _of_batch(entries: Sequence[Entry], batch_id: str) -> Commit | None:
    return next((e.commit for e in reversed(entries) if e.commit.batch_id == batch_id), None)


def grouped(entries: Sequence[Entry], episodes: int) -> Iterator[list[Entry]]:
    """Runs of commits that together hold about so many episodes, and not too many bytes."""
    group: list[Entry] = []
    count = size = 0
    for entry in entries:
        group.append(entry)
        count += entry.commit.counts.get("episodes", 0)
        size += entry.commit.counts.get("bytes", 0)
        if count >= episodes or size >= GROUP_BYTES:
            yield group
            group, count, size = [], 0, 0
    if group:
        yield group
