"""Landing and reading back with payloads encrypted and plain, beside a plain Parquet write.

The ways take turns, each time in an empty lake of its own, so that all are measured under the same
load. Medians and 95th percentiles are told, with the number of turns.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.model.episodes import Episode, Protection
from tests.benchmarks.tables import Column, Table, millis, seconds, size, whole

NUMBER: Final = 40_000
BYTES: Final = 500
TURNS: Final = 5
COMMITS: Final = 5
"""Commits of one episode after each landing."""
TENANT: Final = "bench"
_WORDS: Final = ("pump", "valve", "limit", "stated", "by", "the", "operator", "on", "line", "west")

Protect = Callable[[int], Protection]
WAYS: Final[Mapping[str, Protect]] = {
    "plain": lambda n: Protection(encrypted=False),
    "tenant's own key": lambda n: Protection(),
    "1,000 subjects, one each": lambda n: Protection(subjects=(f"s{n % 1_000}",)),
    "1,000 subjects, three each": lambda n: Protection(
        subjects=tuple(f"s{(n + m) % 1_000}" for m in range(3))
    ),
    "a subject for each": lambda n: Protection(subjects=(f"s{n}",)),
}


@dataclass(slots=True)
class Times:
    """What one way took, in seconds, and what it left."""

    land: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    read: list[float] = field(default_factory=list)
    one: list[float] = field(default_factory=list)
    kept: int = 0


def run() -> Table:
    """Measure all ways in turns."""
    payloads = list(_payloads())
    told = {name: Times() for name in WAYS}
    parquet = Times()
    for _ in range(TURNS):
        with tempfile.TemporaryDirectory() as folder:
            _write(Path(folder), payloads, parquet)
        for name, protect in WAYS.items():
            with tempfile.TemporaryDirectory() as folder:
                _land(Path(folder), payloads, protect, told[name])
    columns = (
        Column("payloads", "payloads"),
        Column("land s", "land", seconds),
        Column("p95", "land_p95", seconds),
        Column("CPU s", "land_cpu", seconds),
        Column("per second", "per_second", whole),
        Column("times plain", "times_plain", seconds),
        Column("read back s", "read", seconds),
        Column("one commit ms", "one", millis),
        Column("p95", "one_p95", millis),
        Column("payload files", "bytes", size),
    )
    first = statistics.median(told["plain"].land)
    rows: list[Sequence[str | int | float | None]] = [
        _row(name, times, first) for name, times in [("Parquet write", parquet), *told.items()]
    ]
    notes = [
        f"{NUMBER:,} episodes of {BYTES} B in an empty lake, {TURNS} turns; then {COMMITS} commits "
        "of one episode a turn; medians"
    ]
    return Table("landing, payloads encrypted and plain", columns, rows, notes)


def _row(name: str, times: Times, first: float) -> Sequence[str | int | float | None]:
    land = statistics.median(times.land)
    one = (statistics.median(times.one), _p95(times.one)) if times.one else (None, None)
    read = statistics.median(times.read) if times.read else None
    cpu = statistics.median(times.cpu)
    rate = NUMBER / land
    return (name, land, _p95(times.land), cpu, rate, land / first, read, *one, times.kept)


def _p95(taken: Sequence[float]) -> float:
    return statistics.quantiles(taken, n=20, method="inclusive")[-1]


def _payloads() -> Iterator[bytes]:
    chance = random.Random(5)
    for number in range(NUMBER):
        text = " ".join(chance.choices(_WORDS, k=90))
        yield f'{{"id": {number}, "value": {chance.random()}, "text": "{text}'.encode()[:BYTES]


def _episodes(payloads: Sequence[bytes], protect: Protect, series: str) -> Iterator[Episode]:
    for number, payload in enumerate(payloads):
        yield Episode(
            tenant=TENANT,
            episode_id=f"{series}/{number}",
            source="bench",
            source_key=f"{number}",
            payload=payload,
            location=f"bench.jsonl:{number}",
            protection=protect(number),
        )


def _land(folder: Path, payloads: Sequence[bytes], protect: Protect, times: Times) -> None:
    ledger = open_ledger(folder, {})
    episodes = list(_episodes(payloads, protect, "many"))
    began, cpu = time.perf_counter(), time.process_time()
    done = ledger.land(TENANT, episodes)
    times.land.append(time.perf_counter() - began)
    times.cpu.append(time.process_time() - cpu)
    assert done.landed == NUMBER
    times.kept = sum(file.stat().st_size for file in folder.rglob("payloads/**/*.parquet"))
    times.read.append(_read(ledger, payloads))
    for number in range(COMMITS):
        began = time.perf_counter()
        ledger.land(TENANT, _episodes(payloads[:1], protect, f"one {number}"))
        times.one.append(time.perf_counter() - began)


def _read(ledger: IcebergLedger, payloads: Sequence[bytes]) -> float:
    began = time.perf_counter()
    found = [e.payload for part in ledger.episodes(TENANT, after=0, through=99) for e in part]
    took = time.perf_counter() - began
    assert found == payloads
    return took


def _write(folder: Path, payloads: Sequence[bytes], times: Times) -> None:
    """The reference: ids, places and payloads as one Parquet file, zstd as PyIceberg has it."""
    file = folder / "plain.parquet"
    began, cpu = time.perf_counter(), time.process_time()
    numbers = range(len(payloads))
    rows = pa.table(
        {
            "episode_id": [f"many/{number}" for number in numbers],
            "location": [f"bench.jsonl:{number}" for number in numbers],
            "body": pa.array(payloads, pa.large_binary()),
        }
    )
    pq.write_table(rows, file, compression="zstd")
    times.land.append(time.perf_counter() - began)
    times.cpu.append(time.process_time() - cpu)
    times.kept = file.stat().st_size
