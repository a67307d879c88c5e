"""Several client processes ask points at once: answers a second, together."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from graph.session import open_driver
from queries.memory import Memory
from tests.benchmarks.graph.asking import READS, questions
from tests.benchmarks.graph.checking import parameters, view_at
from tests.benchmarks.graph.histories import Shape
from tests.benchmarks.graph.plain import FLOOR, plain_text, run_plain
from tests.benchmarks.latency import percentile
from tests.benchmarks.tables import Column, Table, Value, millis, whole

CLIENTS: Final = 4
SECONDS: Final = 6.0
WARM_UP: Final = 200
GOAL: Final = 2_000
_KEY: Final = READS[0]


@dataclass(frozen=True, slots=True)
class _Task:
    connection: Any
    shape: Shape
    watermark: int
    level: str
    client: int


def clients_table(connection: Any, shape: Shape, watermark: int) -> Table:
    """`CLIENTS` processes, each with a connection of its own, by what they ask."""
    rows: list[tuple[Value, ...]] = []
    levels = {
        "view.beliefs": "Python View, its basis made before",
        "ruled": "the rule alone, plain driver",
        "floor": "RETURN 1, plain driver",
    }
    for level, told in levels.items():
        tasks = [_Task(connection, shape, watermark, level, client) for client in range(CLIENTS)]
        spawn = multiprocessing.get_context("spawn")
        with spawn.Pool(CLIENTS, _share, [spawn.Barrier(CLIENTS, timeout=600)]) as pool:
            taken = [second for one in pool.map(_client, tasks, chunksize=1) for second in one]
        rows.append(
            (
                told, len(taken), len(taken) / SECONDS, GOAL if level != "floor" else None,
                percentile(taken, 0.5), percentile(taken, 0.95), percentile(taken, 0.99),
            )
        )  # fmt: skip
    columns = (
        Column(f"{CLIENTS} clients, a key each time", "what"),
        Column("answers", "answers", whole),
        Column("a second", "per_second", whole),
        Column("goal", "goal", whole),
        Column("p50 ms", "p50", millis),
        Column("p95 ms", "p95", millis),
        Column("p99 ms", "p99", millis),
    )
    return Table("graph: clients at once", columns, rows, ["they share the cores with the server"])


_ready: list[Any] = []
"""In a client process: the barrier at which all of them wait when they are warm."""


def _share(barrier: Any) -> None:
    _ready.append(barrier)


def _client(task: _Task) -> list[float]:
    asked = questions(_KEY, task.shape, task.watermark, 3_000)[task.client * 500 :]
    with open_driver(task.connection) as driver:
        memory = Memory(driver, task.connection.database)
        run = partial(run_plain, driver, task.connection.database)
        if task.level == "view.beliefs":
            views = [(view_at(memory, one), one) for one in asked[:200]]
            works: list[Callable[[], object]] = [
                partial(_KEY.ask, view, one) for view, one in views
            ]
        elif task.level == "ruled":
            given = [parameters(one) for one in asked]
            works = [partial(run, plain_text(_KEY.ruled), one) for one in given]
        else:
            works = [partial(run, FLOOR, {})]
        for number in range(WARM_UP):
            works[number % len(works)]()
        return _window(works)


def _window(works: list[Callable[[], object]]) -> list[float]:
    """Seconds of each answer that was begun in the window, which all clients begin together."""
    _ready[0].wait()
    taken, number, ends = [], 0, time.monotonic() + SECONDS
    while time.monotonic() < ends:
        began = time.perf_counter()
        works[number % len(works)]()
        taken.append(time.perf_counter() - began)
        number += 1
    return taken
