"""How long an answer takes, beside the least the same driver and server can do just then.

Before every question `RETURN 1` is timed in a session of its own, as reads open one, so that
both are measured under the same load. A wrong answer ends the benchmark: only right ones count.
"""

from __future__ import annotations

import math
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from neo4j import READ_ACCESS

from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import show
from queries.answers import Answer
from queries.memory import Memory
from queries.view import View
from tests.benchmarks.questions import Asked, Questions
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, millis, tenths

POINTS: Final = 1_000
CHAINS: Final = 300
WARM_UP: Final = 200
"""Questions of each kind that are asked before any is timed; a cold JVM is several times slower."""
COMMANDS: Final = 7


@dataclass(slots=True)
class Timed:
    """Seconds of each answer, its size, and `RETURN 1` just before it."""

    what: str
    seconds: list[float] = field(default_factory=list)
    least: list[float] = field(default_factory=list)
    beliefs: int = 0


def latency_table(title: str, stack: Stack, tenant: str, questions: Questions) -> Table:
    """Latency of every kind of question that the tenant's beliefs allow."""
    points, links, chains = (
        questions.points(WARM_UP + POINTS),
        questions.links(WARM_UP + CHAINS),
        questions.chains(WARM_UP + CHAINS),
    )
    asking = _Asking(stack, tenant)
    timed = [
        asking.timed("one fact: view + beliefs", points, _beliefs),
        asking.timed("two hops: view + holders", chains, _holders),
        asking.timed("two hops: view + paths", links, _paths),
    ]
    rows = [_row(one.what, one.seconds, one) for one in timed if one.seconds]
    least = [second for one in timed for second in one.least]
    rows.append(_row("least: RETURN 1, same driver", least, None))
    rows.append(_row("beliefgraph ask, the whole command", commands(tenant, points), None))
    rows.append(_row("least: python -c pass", interpreters(), None))
    notes = ["every answer was checked to hold the belief it was drawn from"]
    if not chains:
        notes.append("two hops: this set has no edges between entities")
    return Table(title, _COLUMNS, rows, notes)


_COLUMNS = (
    Column("question", "question"),
    Column("count", "count"),
    Column("p50 ms", "p50", millis),
    Column("p95 ms", "p95", millis),
    Column("p99 ms", "p99", millis),
    Column("RETURN 1 p50 ms", "least_p50", millis),
    Column("beliefs an answer", "beliefs_an_answer", tenths),
)


def _row(what: str, taken: Sequence[float], timed: Timed | None) -> tuple[Value, ...]:
    return (
        what,
        len(taken),
        *(percentile(taken, part) for part in (0.50, 0.95, 0.99)),
        percentile(timed.least, 0.50) if timed else None,
        timed.beliefs / len(timed.seconds) if timed else None,
    )


def percentile(taken: Sequence[float], part: float) -> float:
    """The nearest rank: a second that was really measured."""
    return sorted(taken)[max(0, math.ceil(part * len(taken)) - 1)]


class _Asking:
    def __init__(self, stack: Stack, tenant: str) -> None:
        self._stack, self._tenant = stack, tenant
        self._memory = Memory(stack.driver, stack.database)

    def timed(
        self, what: str, asked: Sequence[Asked], ask: Callable[[View, Asked], Answer]
    ) -> Timed:
        """Ask each; those beyond the warm-up count."""
        found = Timed(what)
        for number, one in enumerate(asked):
            least = self._least()
            began = time.perf_counter()
            view = self._memory.view(
                self._tenant, valid_at=one.valid_at, known_at=one.known_at, clearance="restricted"
            )
            answer = ask(view, one)
            taken = time.perf_counter() - began
            _require(answer, one)
            if number >= WARM_UP:
                found.seconds.append(taken)
                found.least.append(least)
                found.beliefs += len(answer.beliefs)
        return found

    def _least(self) -> float:
        began = time.perf_counter()
        with self._stack.driver.session(
            database=self._stack.database, default_access_mode=READ_ACCESS, fetch_size=-1
        ) as session:
            list(session.run("RETURN 1 AS one"))
        return time.perf_counter() - began


def _beliefs(view: View, asked: Asked) -> Answer:
    (belief,) = asked.beliefs
    return view.beliefs(belief.subject, belief.predicate)


def _holders(view: View, asked: Asked) -> Answer:
    first, last = asked.beliefs
    return view.holders(last.predicate, last.object or "", via=[first.predicate])


def _paths(view: View, asked: Asked) -> Answer:
    return view.paths(asked.beliefs[0].subject, 2)


def _require(answer: Answer, asked: Asked) -> None:
    if asked.expected not in {belief.belief_id for belief in answer.beliefs}:
        raise IntegrityError(
            f"belief {asked.expected} is not in the answer at valid_at {show(asked.valid_at)}, "
            f"known_at {show(asked.known_at)}",
            remedy="Find out why before measuring anything.",
        )


def commands(tenant: str, points: Sequence[Asked]) -> list[float]:
    """Seconds of the whole command, from its start to its last line, a few times."""
    command = str(Path(sys.executable).parent / "beliefgraph")
    taken = []
    for one in points[:COMMANDS]:
        (belief,) = one.beliefs
        question = ["ask", belief.subject, belief.predicate, "--tenant", tenant]
        instants = ["--valid-at", show(one.valid_at), "--known-at", show(one.known_at)]
        taken.append(_run([command, *question, *instants]))
    return taken


def interpreters() -> list[float]:
    """Seconds of an interpreter that does nothing: the least that any command takes."""
    return [_run([sys.executable, "-c", "pass"]) for _ in range(COMMANDS)]


def _run(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
