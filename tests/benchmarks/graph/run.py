"""The graph's benchmark: from an empty home to its tables, or over a home that was kept."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import psutil

from graph import publish as publishing
from graph import server
from graph import state as states
from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import ConfigurationError, IntegrityError
from lakehouse.stamping import system_clock
from tests.benchmarks.graph import plain
from tests.benchmarks.graph.asking import READS, questions
from tests.benchmarks.graph.checking import check, check_plain
from tests.benchmarks.graph.clients import clients_table
from tests.benchmarks.graph.filling import fill, filling_table
from tests.benchmarks.graph.growth import earlier, growth_table
from tests.benchmarks.graph.histories import TENANT, Shape
from tests.benchmarks.graph.rebuilding import rebuilding_table
from tests.benchmarks.graph.rectangles import Rectangles
from tests.benchmarks.graph.states import states_table
from tests.benchmarks.graph.store import edges_of, store_table
from tests.benchmarks.graph.timing import beside_table, reads_table, timings
from tests.benchmarks.graph.writes import (
    MANY,
    MANY_COMMITS,
    ONE_COMMITS,
    Live,
    bulk_table,
    load,
    prove,
    steps_table,
)
from tests.benchmarks.machine import machine_table
from tests.benchmarks.stack import Say, Stack, home_for, stack
from tests.benchmarks.tables import Column, Table, seconds, size, whole


@dataclass(frozen=True, slots=True)
class Options:
    """What a run is told on the command line."""

    shape: Shape = field(default_factory=Shape)
    memory: Sequence[str] = ()
    """Sizes of the server's memory at which the reads are asked again."""
    filled: Path | None = None
    """A home that an earlier run kept: its reads are asked again; its lake is left alone, and
    its graph where it was published."""
    keep: Path | None = None
    beside: Path | None = None
    """JSON of an earlier run, of another size, that this one is compared with."""


def run(options: Options, say: Say) -> Iterator[Table]:
    """The tables, as they come."""
    then = earlier(options.beside) if options.beside is not None else None
    told: list[Table] = []
    for table in _run(options, say):
        told.append(table)
        yield table
    if then is not None:
        yield growth_table(told, then)


def _run(options: Options, say: Say) -> Iterator[Table]:
    if options.filled is not None:
        home = options.filled.resolve()
        if not (home / "lake").is_dir():
            raise ConfigurationError(
                f"{home} holds no lake", remedy="Name the home that --keep left: DIR/graph."
            )
        yield from _asked_again(home, options, say)
        return
    with home_for("graph", options.keep) as home:
        yield from _loaded(home, options.shape, say)
        with stack(home, say) as running:
            yield from _reads(running, options.shape, say)
            yield from _small(running, options.shape, say)
        yield from _memories(home, options, say)


def _loaded(home: Path, shape: Shape, say: Say) -> Iterator[Table]:
    """The set in the lake, and in the graph."""
    with stack(home, say) as running:
        yield from _written(running, shape, say)
        edges = edges_of(running)
    # A clean stop writes all of the store: only then its files tell the truth.
    yield store_table("as it was projected", home, running.database, edges)
    with stack(home, say) as running:
        yield rebuilding_table(running, say)
    yield store_table("rebuilt offline", home, running.database, edges)


def _written(running: Stack, shape: Shape, say: Say) -> Iterator[Table]:
    ledger = open_ledger(running.home, os.environ)
    if not ledger.commits(TENANT):
        yield filling_table(fill(ledger, shape, say))
    say("graph: projecting")
    began_at = system_clock()
    _, loaded = load(ledger, running)
    say("graph: verifying")
    verified, proved = prove(ledger, running)
    publishing.publish(
        ledger, running.driver, running.database, TENANT, began_at=began_at, verified=verified
    )
    yield bulk_table([loaded, proved])


def _small(running: Stack, shape: Shape, say: Say) -> Iterator[Table]:
    live = Live(open_ledger(running.home, os.environ), running, shape)
    one = live.steps(1, ONE_COMMITS, say)
    many = live.steps(MANY, MANY_COMMITS, say)
    yield steps_table(many, one)


def _reads(running: Stack, shape: Shape, say: Say) -> Iterator[Table]:
    """Answers checked first; then the reads, and what stands beside them."""
    watermark = _watermark(running)
    say("graph: the same rectangles into DuckDB")
    rectangles = Rectangles(running.home)
    yield _set_table(rectangles)
    _plain_graph(running, rectangles, shape, say)
    say("graph: checking answers")
    yield check(running, rectangles, shape, watermark)
    yield machine_table()
    timed = timings(running, shape, watermark, plain=True, say=say)
    yield reads_table("graph: reads", timed)
    yield beside_table(timed, rectangles, shape, watermark)
    say("graph: whole states")
    yield states_table(running, rectangles, system_clock(), watermark)
    say("graph: clients")
    yield clients_table(server.connection_from(os.environ), shape, watermark)


def _plain_graph(running: Stack, rectangles: Rectangles, shape: Shape, say: Say) -> None:
    """Make the graph without time where it is not there yet, and check what it tells."""
    at = plain.basis(running)
    if at is None:
        say("graph: the graph without time")
        at = (system_clock(), _watermark(running))
        rule = {"valid_at": at[0], "known_at": at[1], "listener": 1, "clearance": 3}
        number, taken = plain.make(running, rule)
        say(f"graph: {number:,} edges without time in {taken:.0f} s")
    number, (wanted, _) = plain.edges(running), rectangles.live(*at)
    if number != wanted:
        raise IntegrityError(
            f"the graph without time has {number:,} edges, {wanted:,} are believed",
            remedy="Find out why before measuring anything.",
        )
    for asked in questions(READS[0], shape, at[1], 20):
        check_plain(running, rectangles, replace(asked, valid_at=at[0], known_at=at[1]))


def _published(running: Stack) -> int | None:
    state = states.read(running.driver, running.database, TENANT)
    return state.watermark if state is not None else None


def _watermark(running: Stack) -> int:
    published = _published(running)
    assert published is not None
    return published


def _set_table(rectangles: Rectangles) -> Table:
    found = rectangles.one(
        "SELECT count(DISTINCT subject), count(*), count(*) FILTER (closed_by IS NOT NULL), "
        "count(*) FILTER (object_kind = 'entity') FROM rectangles"
    )
    most = rectangles.one(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM rectangles GROUP BY subject, predicate)"
    )
    columns = (
        Column("subjects", "subjects", whole),
        Column("beliefs", "beliefs", whole),
        Column("superseded", "superseded", whole),
        Column("share", "share", lambda value: f"{value * 100:.1f}%"),
        Column("links", "links", whole),
        Column("most of a key", "most_of_a_key", whole),
        Column("into DuckDB s", "into_duckdb", seconds),
    )
    row = (found[0], found[1], found[2], found[2] / found[1], found[3], most[0], rectangles.seconds)
    return Table("graph: the set", columns, [row])


def _asked_again(home: Path, options: Options, say: Say) -> Iterator[Table]:
    with stack(home, say) as running:
        published = _published(running)
    if published is None:
        yield from _loaded(home, options.shape, say)
    if not options.memory:
        with stack(home, say) as running:
            yield from _reads(running, options.shape, say)
    yield from _memories(home, options, say)


def _memories(home: Path, options: Options, say: Say) -> Iterator[Table]:
    """The reads again at each size of memory; the graph without time is not asked."""
    for memory in options.memory:
        with stack(home, say, memory=memory) as running:
            watermark = _watermark(running)
            began = time.perf_counter()
            timed = timings(running, options.shape, watermark, plain=False, say=say)
            yield reads_table(f"graph: reads with --memory {memory}", timed)
            yield _memory_table(running, memory, time.perf_counter() - began)


def _memory_table(running: Stack, memory: str, taken: float) -> Table:
    resident = psutil.Process(running.process.pid).memory_info().rss
    columns = (
        Column("--memory", "memory"),
        Column("resident", "resident", size),
        Column("reads took s", "seconds", seconds),
    )
    return Table(f"graph: the server at {memory}", columns, [(memory, resident, taken)])
