"""How long the reads take, each beside the floor and beside the same question in plain Cypher.

`RETURN 1`, the verb, its rule alone and the graph without time take turns on one connection, so
that all of them are measured under the same load; who comes first changes from turn to turn. A
verb is timed twice in one call: all of it, and inside the driver (session, statement, rows).
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, LiteralString

from neo4j import Driver, Session

from queries.memory import Memory
from queries.reading import Reader
from queries.view import View
from tests.benchmarks.graph.asking import HUB_READS, READS, Read, count_told, questions
from tests.benchmarks.graph.checking import parameters, view_at
from tests.benchmarks.graph.histories import Shape
from tests.benchmarks.graph.plain import FLOOR, plain_text, run_plain
from tests.benchmarks.graph.rectangles import Asked, Rectangles
from tests.benchmarks.latency import percentile
from tests.benchmarks.stack import Say, Stack
from tests.benchmarks.tables import Column, Table, Value, hundredths, millis, tenths

WARM_UP: Final = 200
"""Questions of each kind before any is timed; a cold JVM is several times slower."""
WARM: Final = ("warm_edges", "warm_keys", "warm_episodes")
BESIDE: Final = 30
"""Questions of each kind that DuckDB is timed with."""


@dataclass(slots=True)
class Timed:
    """Seconds of each turn, by what was done; how many beliefs an answer told."""

    read: Read
    taken: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    told: int = 0

    def part(self, what: str, part: float) -> float | None:
        """A percentile, None where it was not measured."""
        return percentile(self.taken[what], part) if self.taken.get(what) else None


class DriverTime(Reader):
    """A reader that tells how long it held a session."""

    def __init__(self, driver: Driver, database: str | None) -> None:
        super().__init__(driver, database)
        self.inside = 0.0

    @contextmanager
    def _session(self) -> Iterator[Session]:
        began = time.perf_counter()
        with super()._session() as session:
            yield session
        self.inside += time.perf_counter() - began


class Turns:
    """Asks the questions of a read, everything in turns."""

    def __init__(self, stack: Stack, *, plain: bool) -> None:
        self._driver, self._database, self._plain = stack.driver, stack.database, plain
        self._memory = Memory(stack.driver, stack.database)
        self._reader = DriverTime(stack.driver, stack.database)

    def timed(self, read: Read, asked: Sequence[Asked], warm_up: int) -> Timed:
        """Ask all; those beyond the warm-up count."""
        found = Timed(read)
        for number, one in enumerate(asked):
            view = view_at(self._memory, one)
            counts = number >= warm_up
            works = self._works(read, one, View(self._reader, view.basis, pinned=True), found)
            first = number % len(works)
            for what, work in (*works[first:], *works[:first]):
                self._reader.inside = 0.0
                began = time.perf_counter()
                work()
                taken = time.perf_counter() - began
                if counts:
                    found.taken[what].append(taken)
                    if what == "view":
                        found.taken["statement"].append(self._reader.inside)
            if not counts:
                found.told = 0
        return found

    def _works(
        self, read: Read, asked: Asked, view: View, found: Timed
    ) -> list[tuple[str, Callable[[], object]]]:
        def ask() -> None:
            found.told += count_told(read.ask(view, asked))

        works: list[tuple[str, Callable[[], object]]] = [
            ("floor", lambda: self._run(FLOOR, {})),
            ("view", ask),
        ]
        given = parameters(asked)
        for what, name in (("ruled", read.ruled), ("plain", read.plain if self._plain else "")):
            if name:
                text = plain_text(name, asked.hops)
                works.append((what, lambda text=text: self._run(text, given)))  # type: ignore[misc]
        return works

    def _run(self, text: LiteralString, given: dict[str, Any]) -> None:
        run_plain(self._driver, self._database, text, given)


def timings(stack: Stack, shape: Shape, watermark: int, *, plain: bool, say: Say) -> list[Timed]:
    """All kinds of reads, one after another, over a store that was read once: as of a server that
    has been up for a while."""
    say("graph: reading all of the store once")
    for name in WARM:
        stack.driver.execute_query(plain_text(name), database_=stack.database)
    turns = Turns(stack, plain=plain)
    found = []
    for read in (*READS, *HUB_READS):
        warm_up = 10 if read in HUB_READS else WARM_UP
        asked = questions(read, shape, watermark, warm_up + read.count)
        say(f"graph: timing {read.name}")
        found.append(turns.timed(read, asked, warm_up))
    return found


def reads_table(title: str, timed: Sequence[Timed]) -> Table:
    """Goals beside figures: the verb inside the driver, and all of it."""
    rows: list[tuple[Value, ...]] = []
    for one in timed:
        floor, inside = one.part("floor", 0.5) or 0.0, one.part("statement", 0.5) or 0.0
        rows.append(
            (
                one.read.name, len(one.taken["view"]), one.told / len(one.taken["view"]), floor,
                inside, one.part("statement", 0.95), one.part("statement", 0.99), inside / floor,
                *one.read.goal.told(inside, floor),
                one.part("view", 0.5), one.part("view", 0.95), one.part("view", 0.99),
            )
        )  # fmt: skip
    columns = (
        Column("read", "read"),
        Column("count", "count"),
        Column("beliefs", "beliefs_an_answer", tenths),
        Column("RETURN 1", "floor_p50", millis),
        Column("verb in driver p50", "p50", millis),
        Column("p95", "p95", millis),
        Column("p99", "p99", millis),
        Column("x", "times_floor", hundredths),
        Column("goal", "goal"),
        Column("", "met"),
        Column("View p50", "view_p50", millis),
        Column("p95", "view_p95", millis),
        Column("p99", "view_p99", millis),
    )
    notes = ["ms; one warm connection; a goal is held against the median inside the driver"]
    return Table(title, columns, rows, notes)


def beside_table(
    timed: Sequence[Timed], rectangles: Rectangles, shape: Shape, watermark: int
) -> Table:
    """Each read beside its rule alone, the graph without time, and DuckDB."""
    rows: list[tuple[Value, ...]] = []
    for one in timed:
        ruled, plain = one.part("ruled", 0.5), one.part("plain", 0.5)
        few = questions(one.read, shape, watermark, BESIDE)
        duck = [rectangles.timed(one.read.sql, question) for question in few]
        rows.append(
            (
                one.read.name, one.part("statement", 0.5), ruled, plain,
                ruled / plain if ruled and plain else None,
                (one.part("statement", 0.5) or 0.0) / plain if plain else None,
                percentile(duck, 0.5),
            )
        )  # fmt: skip
    columns = (
        Column("read", "read"),
        Column("verb in driver", "statement_p50", millis),
        Column("rule alone", "ruled_p50", millis),
        Column("without time", "plain_p50", millis),
        Column("rule / without", "ruled_to_plain", hundredths),
        Column("verb / without", "statement_to_plain", hundredths),
        Column("DuckDB", "duckdb_p50", millis),
    )
    notes = [
        "ms, medians of the same turns; goal of the graph without time: ours at most 1.2 times it",
        "rule alone, without time: the same Cypher with and without the clocks, ten columns, of "
        "hops what is reached",
        "the verb tells evidence beside, and of hops every edge",
        f"DuckDB: {BESIDE} of the questions by its own, both cores, a sorted table in memory",
    ]
    return Table("graph: reads beside a graph without time, and DuckDB", columns, rows, notes)
