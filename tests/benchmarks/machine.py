"""The machine beside the measurement: its load, a fixed piece of work, and CPU over time.

On a shared machine seconds alone say little. The fixed work tells how fast the machine was just
then and how much of it we were given; CPU seconds of ourselves and of the server stand beside
every wall clock.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from bisect import bisect_left
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType
from typing import Final

import psutil

from tests.benchmarks.tables import Column, Table, seconds, size, tenths

EVERY: Final = 0.1
"""Seconds between two looks at the CPU clocks."""
ITEMS: Final = 300_000


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the fixed work took; wall beyond CPU is what others took from us."""

    wall: float
    cpu: float


def calibrate() -> Calibration:
    """Best of three of a fixed piece of plain Python: strings, a dictionary, a sort."""
    return min((_once() for _ in range(3)), key=lambda one: one.cpu)


def _once() -> Calibration:
    wall, cpu = time.perf_counter(), time.process_time()
    texts = {f"key-{number * 7919 % ITEMS}": number for number in range(ITEMS)}
    assert len(sorted(texts)) == ITEMS
    return Calibration(time.perf_counter() - wall, time.process_time() - cpu)


def machine_table() -> Table:
    """What the run was made on, and how busy it was at its start."""
    load, memory, fixed = os.getloadavg(), psutil.virtual_memory(), calibrate()
    row = (
        datetime.now(UTC).isoformat(timespec="minutes"),
        f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        *load,
        memory.total,
        memory.available,
        fixed.wall,
        fixed.cpu,
    )
    columns = (
        Column("when", "when"),
        Column("machine", "machine"),
        Column("cores", "cores"),
        Column("load 1m", "load_1m", tenths),
        Column("5m", "load_5m", tenths),
        Column("15m", "load_15m", tenths),
        Column("memory", "memory", size),
        Column("free", "memory_available", size),
        Column("fixed work s", "fixed_wall", seconds),
        Column("CPU s", "fixed_cpu", seconds),
    )
    return Table("machine", columns, [row])


@dataclass(frozen=True, slots=True)
class Moment:
    """CPU seconds used up to an instant: by this process, and by the server."""

    at: float
    own: float
    server: float


class CpuClock:
    """Looks at the CPU clocks of this process and a server while a block runs."""

    def __init__(self, server: psutil.Process) -> None:
        self._own, self._server = psutil.Process(), server
        self._moments: list[Moment] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self.most_memory = 0
        """The most resident bytes of this process that were seen."""

    def __enter__(self) -> CpuClock:
        self._moments.append(self._now())
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        if kind is None:
            self._moments.append(self._now())

    def between(self, began: float, ended: float) -> tuple[float, float]:
        """CPU seconds (own, server) between two instants of `time.time`."""
        first, last = self._at(began), self._at(ended)
        return last.own - first.own, last.server - first.server

    def _look(self) -> None:
        while not self._stop.wait(EVERY):
            self._moments.append(self._now())

    def _now(self) -> Moment:
        own, server = self._own.cpu_times(), self._server.cpu_times()
        self.most_memory = max(self.most_memory, self._own.memory_info().rss)
        beside = own.children_user + own.children_system  # Of those that have ended.
        return Moment(time.time(), own.user + own.system + beside, server.user + server.system)

    def _at(self, instant: float) -> Moment:
        after = bisect_left(self._moments, instant, key=lambda moment: moment.at)
        if after == 0:
            return self._moments[0]
        if after == len(self._moments):
            return self._moments[-1]
        one, two = self._moments[after - 1], self._moments[after]
        part = (instant - one.at) / (two.at - one.at) if two.at > one.at else 1.0
        return Moment(
            instant,
            one.own + part * (two.own - one.own),
            one.server + part * (two.server - one.server),
        )
