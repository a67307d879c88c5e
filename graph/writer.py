"""Rows into the graph: batches of one transaction each, on a few lanes.

Rows of one lane never share an entity with another lane's (`lane_at` says which column splits
them), so that lanes hardly ever wait for each other; a deadlock is retried by the driver. A
transaction first makes sure that its batch's writer still holds the tenant (`state.begin`). After
every transaction `progress` hears of it; whatever it raises stops the lanes at their next batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Final, LiteralString
from zlib import crc32

from neo4j import Driver, ManagedTransaction
from neo4j.exceptions import ConstraintError

from graph.rows import Row
from graph.state import LANES, State, require_hold
from graph.statements import statement
from lakehouse.ledger import Progress
from lakehouse.model.errors import ConflictError

BATCH: Final = 2_000
"""Rows of a transaction: 2,000 cost the server a fifth less than 5,000 with 512 MB of heap."""

Work = Callable[[ManagedTransaction, list[Row]], int]


class Writer:
    """Writes rows into one database, those of the batch that `begun` began (None: of nobody's)."""

    def __init__(
        self, driver: Driver, database: str, progress: Progress | None, begun: State | None = None
    ) -> None:
        self._driver = driver
        self._database = database
        self._progress = progress
        self._begun = begun
        self._telling = Lock()

    def write(self, name: str, rows: Iterable[Row], *, what: str, lane_at: int = 0) -> int:
        """Run the statement of that name over all rows; the sum of what it counted."""
        text = statement(name)
        return self.work(lambda tx, batch: count(tx, text, batch), rows, what, lane_at)

    def write_missing(
        self, rows: Iterable[Row], *, what: str, kind: str, id_at: int, mend: Callable[[Row], Row]
    ) -> int:
        """As `write` for edges of which an unfinished batch may have left some.

        What is there already gets its changing columns as they are now.
        """
        present, create = statement(f"present_{kind}"), statement(f"open_{kind}")
        repair = statement(f"mend_{kind}")

        def once(tx: ManagedTransaction, batch: list[Row]) -> int:
            ids = [row[id_at] for row in batch]
            found = set(tx.run(present, ids=ids).single(strict=True)["present"])
            fresh = [row for row in batch if row[id_at] not in found]
            old = [mend(row) for row in batch if row[id_at] in found]
            return count(tx, create, fresh) + count(tx, repair, old)

        return self.work(once, rows, what, 0)

    def work(self, work: Work, rows: Iterable[Row], what: str, lane_at: int) -> int:
        """Run `work` once for each batch, each in a transaction of its own."""
        lanes: list[list[Row]] = [[] for _ in range(LANES)]
        for row in rows:
            lanes[crc32(str(row[lane_at]).encode()) % LANES].append(row)
        total, stop, done = sum(map(len, lanes)), Event(), [0]

        def lane(number: int, own: Sequence[Row]) -> int:
            counted = 0
            try:
                for batch in _batches(own):
                    if stop.is_set():
                        break
                    counted += self._commit(number, work, batch)
                    self._tell(what, done, len(batch), total)
            except BaseException:
                stop.set()
                raise
            return counted

        if total <= BATCH:
            return lane(0, [row for own in lanes for row in own])
        with ThreadPoolExecutor(LANES, thread_name_prefix="projector") as pool:
            return sum(pool.map(lane, range(LANES), lanes))

    def _commit(self, lane: int, work: Work, batch: list[Row]) -> int:
        def held(tx: ManagedTransaction) -> int:
            if self._begun is not None:
                require_hold(tx, self._begun, lane)
            return work(tx, batch)

        with self._driver.session(database=self._database) as session:
            try:
                return session.execute_write(held)
            except ConstraintError as taken:
                raise ConflictError(
                    "an edge that was not in the graph a moment ago is there now: another "
                    "projector is at work",
                    remedy="Let it finish, then run again; nothing is lost or doubled.",
                    detail=taken.message,
                ) from taken

    def _tell(self, what: str, done: list[int], count: int, total: int) -> None:
        with self._telling:
            done[0] += count
            if self._progress is not None:
                self._progress(f"{what}: {done[0]} of {total}")


def count(tx: ManagedTransaction, text: LiteralString, rows: list[Row]) -> int:
    """Run a statement over rows; what it counted."""
    if not rows:
        return 0
    return int(tx.run(text, rows=rows).single(strict=True)["done"])


def _batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for start in range(0, len(rows), BATCH):
        yield list(rows[start : start + BATCH])
