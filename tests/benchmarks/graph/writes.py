"""Writes into the graph: all of it from empty, a thousand changes a commit, one change a commit.

Only the graph's own step is timed: the lake holds the commit before. What a step spends in the
ledger (reading its commits, changes and headers from Iceberg) is told apart from the rest.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from graph.projector import Projected, project
from graph.publish import publish
from graph.verify import Verified, verify
from graph.verify_last import verify_last
from lakehouse.believe import believe
from lakehouse.ledger import Ledger
from lakehouse.model.episodes import Episode, Protection
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import Operation, Statement
from lakehouse.stamping import system_clock
from tests.benchmarks.graph.histories import DAY, QUIET, SEED, TENANT, Shape, cardinality, thing
from tests.benchmarks.latency import percentile
from tests.benchmarks.machine import CpuClock
from tests.benchmarks.stack import Say, Stack
from tests.benchmarks.tables import Column, Table, Value, millis, seconds, verdict, whole

MANY: Final = 1_000
MANY_COMMITS: Final = 8
ONE_COMMITS: Final = 60
WARM_UP: Final = 3


class LedgerTime:
    """A ledger that tells how long its methods took."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger, self.inside = ledger, 0.0

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._ledger, name)
        if not callable(method):
            return method

        def timed(*given: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return method(*given, **named)
            finally:
                self.inside += time.perf_counter() - began

        return timed


@dataclass(slots=True)
class Step:
    """One run of the graph's step: seconds by part, those in the ledger, and what was written."""

    project: float
    verify: float
    publish: float
    ledger: float
    edges: int
    read: float
    """Of `project`, what passed in the ledger."""

    @property
    def taken(self) -> float:
        """Seconds from the ledger's commit to the watermark."""
        return self.project + self.verify + self.publish


@dataclass(slots=True)
class Bulk:
    """Something done to all of the graph: seconds, CPU of both, how many edges."""

    what: str
    edges: int
    taken: float
    own: float
    server: float
    goal: str = ""
    met: str = ""


def edges_written(done: Projected) -> int:
    """Edges made or closed."""
    return (
        done.edges_opened + done.edges_closed + done.confirms_opened + done.confirms_closed
        + done.mentions
    )  # fmt: skip


def measured(
    stack: Stack, work: Callable[[], Any], what: str, edges: Callable[[Any], int]
) -> tuple[Any, Bulk]:
    """Do it under the CPU clocks."""
    with CpuClock(stack.process) as clock:
        began = time.time()
        result = work()
        ended = time.time()
    own, server = clock.between(began, ended)
    return result, Bulk(what, edges(result), ended - began, own, server)


def load(ledger: Ledger, stack: Stack) -> tuple[Projected, Bulk]:
    """Project all of it into the empty graph."""
    done, bulk = measured(
        stack,
        lambda: project(ledger, stack.driver, stack.database, TENANT),
        "all from empty, online",
        edges_written,
    )
    bulk.goal, bulk.met = "12,000 edges/s", verdict(bulk.edges / bulk.taken < 12_000)
    return done, bulk


def prove(ledger: Ledger, stack: Stack) -> tuple[Verified, Bulk]:
    """Verify all of it; IntegrityError where anything differs."""
    found, bulk = measured(
        stack,
        lambda: verify(ledger, stack.driver, stack.database, TENANT),
        "full verify",
        lambda verified: int(verified.edges),
    )
    if not found.equal:
        raise IntegrityError(
            f"the graph differs from the lake: {found.differences[:1]}",
            remedy="Find out why before measuring anything.",
        )
    bulk.goal, bulk.met = "30 s", verdict(bulk.taken > 30)
    return found, bulk


class Live:
    """Changes after the import, by the system's clock, through the whole lake."""

    def __init__(self, ledger: Ledger, stack: Stack, shape: Shape) -> None:
        self._ledger, self._stack, self._shape = ledger, stack, shape
        self._chance = random.Random(f"{SEED} live")
        self._run = f"{time.time_ns()}"
        self._serial = 0

    def steps(self, changes: int, commits: int, say: Say) -> list[Step]:
        """So many commits of so many changes each; the first few warm up."""
        found = []
        for number in range(WARM_UP + commits):
            self._commit(changes)
            step = self._step()
            if number >= WARM_UP:
                found.append(step)
            if changes > 1 or number % 20 == 0:
                told = f"{step.taken * 1_000:.0f} ms to the watermark"
                say(f"graph: commit {number + 1} of {changes:,} changes: {told}")
        return found

    def _step(self) -> Step:
        """From the newest commit to the watermark, as a run does it."""
        timed: Any = LedgerTime(self._ledger)
        place = (self._stack.driver, self._stack.database, TENANT)
        began_at, first = system_clock(), time.perf_counter()
        done = project(timed, *place)
        second, read = time.perf_counter(), timed.inside
        verified = verify_last(timed, *place)
        third = time.perf_counter()
        published = publish(timed, *place, began_at=began_at, verified=verified)
        fourth = time.perf_counter()
        if verified.entities is None or published is None or published.position != done.position:
            raise IntegrityError(
                f"a commit was not verified by itself, or not published: {verified.summary}",
                remedy="Find out why before measuring anything.",
            )
        return Step(
            second - first, third - second, fourth - third, timed.inside, edges_written(done), read
        )

    def _commit(self, changes: int) -> None:
        numbers = self._chance.sample(range(self._shape.things), changes)
        episodes, extracted = [], []
        for number in numbers:
            self._serial += 1
            episode = f"live/{self._run}/{self._serial}"
            episodes.append(
                Episode(
                    tenant=TENANT, episode_id=episode, source="live", source_key=thing(number),
                    payload=b"{}", trust=2, classification=0, location=f"live:{self._serial}",
                    protection=Protection(encrypted=False),
                )
            )  # fmt: skip
            extracted.append(Extracted(self._statement(number, episode), record=thing(number)))
        landed = self._ledger.land(TENANT, episodes)
        self._ledger.append_statements(
            TENANT, extracted, clock=Clock.SYSTEM, through=landed.commits[-1].position
        )
        believe(self._ledger, TENANT, cardinality, Listeners())

    def _statement(self, number: int, episode: str) -> Statement:
        start = system_clock() - self._chance.randrange(1, 30) * DAY
        return Statement(
            tenant=TENANT, statement_id=f"{episode}#1", op=Operation.ASSERT, recorded_at=0, seq=0,
            episode_id=episode, subject=thing(number), predicate=QUIET,
            object=f"now {self._serial}", object_kind="string", valid_from=start,
            trust=2, source="live",
        )  # fmt: skip


def bulk_table(bulk: Sequence[Bulk]) -> Table:
    """What was done to the whole graph."""
    rows: list[tuple[Value, ...]] = [
        (
            one.what, one.edges, one.taken, one.edges / one.taken, one.goal,
            one.met, one.own, one.server,
        )
        for one in bulk
    ]  # fmt: skip
    columns = (
        Column("whole graph", "what"),
        Column("edges", "edges", whole),
        Column("seconds", "seconds", seconds),
        Column("edges a second", "per_second", whole),
        Column("goal", "goal"),
        Column("", "met"),
        Column("CPU own s", "own_cpu", seconds),
        Column("CPU server s", "server_cpu", seconds),
    )
    notes = ["edges of every type: beliefs, confirmations, mentions; nodes beside them"]
    return Table("graph: writes of all of it", columns, rows, notes)


def steps_table(many: Sequence[Step], one: Sequence[Step]) -> Table:
    """The graph's step of small commits, taken apart."""
    rows: list[tuple[Value, ...]] = []
    for what, steps in ((f"{MANY:,} changes a commit", many), ("one change a commit", one)):
        edges = sum(step.edges for step in steps)
        rate = edges / sum(step.project - step.read for step in steps)
        late = percentile([step.taken for step in steps], 0.95)
        outside = percentile([step.taken - step.ledger for step in steps], 0.95)
        goal, missed = (
            ("10,000 edges/s", rate < 10_000)
            if steps is many
            else ("p95 25 ms but the ledger", outside > 0.025)
        )
        middle = [
            percentile([getattr(step, part) for step in steps], 0.5)
            for part in ("project", "verify", "publish", "ledger", "taken")
        ]
        rows.append(
            (
                what, len(steps), edges / len(steps), *middle, late, outside, rate, goal,
                verdict(missed),
            )
        )  # fmt: skip
    columns = (
        Column("the graph's step, ms", "what"),
        Column("commits", "commits", whole),
        Column("edges each", "edges", whole),
        Column("project", "project_p50", millis),
        Column("verify", "verify_p50", millis),
        Column("publish", "publish_p50", millis),
        Column("in the ledger", "ledger_p50", millis),
        Column("to watermark p50", "p50", millis),
        Column("p95", "p95", millis),
        Column("but the ledger p95", "outside_p95", millis),
        Column("edges/s written", "per_second", whole),
        Column("goal", "goal"),
        Column("", "met"),
    )
    notes = [
        "from the ledger's commit to the watermark: project, verify what was touched, publish",
        "edges made and closed, mentions among them; in the ledger: reading, and one publication",
        "the goals are for the graph's step alone: without what passes in the ledger",
    ]
    return Table("graph: writes of small commits", columns, rows, notes)
