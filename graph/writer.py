"""Rows into the graph: batches of one transaction each, on a few lanes.

Rows of one lane never share an entity with another lane's (`lane_at` says which column splits
them), so that lanes hardly ever wait for each other; a deadlock is retried by the driver. A
transaction first makes sure that its batch's writer still holds the tenant (`state.begin`). After
every transaction `progress` hears of it; whatever it raises stops the lanes at their next batch.
A small batch is one transaction (`Writer.at_once`): a commit costs more than a few hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock
from typing import Any, Final, LiteralString, TypeVar
from zlib import crc32

from neo4j import READ_ACCESS, Driver, ManagedTransaction, Result
from neo4j.exceptions import ConstraintError

from graph import state as states
from graph.rows import Row
from graph.state import LANES, State, require_hold
from graph.statements import statement
from lakehouse.ledger import Progress
from lakehouse.model.errors import ConflictError

BATCH: Final = 2_000
"""Rows of a transaction: 2,000 cost the server a fifth less than 5,000 with 512 MB of heap."""

Work = Callable[[ManagedTransaction, list[Row]], int]
Run = tuple[str, Callable[[Row], Row]]
"""A statement, and its row from one of ours."""
_Result = TypeVar("_Result")


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
        self, rows: Iterable[Row], *, what: str, kind: str, id_at: int, mend: Run
    ) -> int:
        """As `write` for edges of which an unfinished batch may have left some.

        What is there already gets its changing columns as they are now, by `mend`.
        """
        present, create = statement(f"present_{kind}"), statement(f"open_{kind}")
        repair, mended = statement(mend[0]), mend[1]

        def once(tx: ManagedTransaction, batch: list[Row]) -> int:
            ids = [row[id_at] for row in batch]
            found = set(tx.run(present, ids=ids).single(strict=True)["present"])
            fresh = [row for row in batch if row[id_at] not in found]
            old = [mended(row) for row in batch if row[id_at] in found]
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

    def ask(self, name: str, **given: Any) -> Any:
        """What the statement of that name finds, all that was written by now included."""
        with self._driver.session(
            database=self._database, default_access_mode=READ_ACCESS
        ) as session:
            return found(session.run(statement(name), given))

    def bump(self) -> None:
        """Tell readers that what is below the watermark is about to change."""
        assert self._begun is not None
        states.bump(self._driver, self._database, self._begun)

    def at_once(self, work: Callable[[Writer], _Result]) -> _Result:
        """Do it with a writer that writes all in one transaction."""

        def held(tx: ManagedTransaction) -> _Result:
            if self._begun is not None:
                require_hold(tx, self._begun)
            return work(_Within(tx, self))

        return self._transaction(held)

    def _commit(self, lane: int, work: Work, batch: list[Row]) -> int:
        def held(tx: ManagedTransaction) -> int:
            if self._begun is not None:
                require_hold(tx, self._begun, lane)
            return work(tx, batch)

        return self._transaction(held)

    def _transaction(self, work: Callable[[ManagedTransaction], _Result]) -> _Result:
        with self._driver.session(database=self._database) as session:
            try:
                return session.execute_write(work)
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


class _Within(Writer):
    """Writes in a transaction that somebody else ends."""

    def __init__(self, tx: ManagedTransaction, writer: Writer) -> None:
        super().__init__(writer._driver, writer._database, writer._progress, writer._begun)
        self._tx = tx

    def work(self, work: Work, rows: Iterable[Row], what: str, lane_at: int) -> int:
        batch = list(rows)
        counted = work(self._tx, batch) if batch else 0
        if batch:
            self._tell(what, [0], len(batch), len(batch))
        return counted

    def ask(self, name: str, **given: Any) -> Any:
        return found(self._tx.run(statement(name), given))


def found(result: Result) -> Any:
    """What the only record of a result found."""
    return result.single(strict=True)["found"]


def count(tx: ManagedTransaction, text: LiteralString, rows: list[Row]) -> int:
    """Run a statement over rows; what it counted."""
    if not rows:
        return 0
    return int(tx.run(text, rows=rows).single(strict=True)["done"])


def _batches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    for start in range(0, len(rows), BATCH):
        yield list(rows[start : start + BATCH])
