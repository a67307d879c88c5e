"""The lake itself: small commits over time, landing beside plain Parquet, reads among a million.

Small commits are timed with upkeep on, which runs between them and is told apart. Landing and the
plain write of the same rows take turns in one run.
"""

from __future__ import annotations

import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from lakehouse.catalog import local
from lakehouse.codec_beliefs import belief_rows
from lakehouse.codec_episodes import header_rows, payload_rows
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.maintenance.upkeep import upkeep
from lakehouse.model.episodes import Episode
from lakehouse.model.ledger import BeliefChanges
from lakehouse.open_sql import OpenLake
from lakehouse.store import Store
from lakehouse.tables import BELIEFS
from lakehouse.vault.bodies import Kept
from tests.benchmarks.lake_rows import beliefs, episodes
from tests.benchmarks.sizes import files
from tests.benchmarks.tables import Column, Table, Value, millis, seconds, size, tenths, whole

COMMITS: Final = 2_000
EVERY: Final = 100
"""Commits between two upkeeps."""
LANDED: Final = 200_000
NUMBER: Final = 1_000_000
READS: Final = 40
TURNS: Final = 3
TENANT: Final = "bench"
_WINDOWS: Final = ((1, 10), (11, 110), (951, 1_050), (1_901, 2_000))


def run(
    say: Callable[[str], None], commits: int = COMMITS, number: int = NUMBER
) -> Iterator[Table]:
    """The tables of the benchmark, for `tests.benchmarks`."""
    with tempfile.TemporaryDirectory() as folder:
        say(f"lake: {commits:,} commits of one episode")
        yield _small_commits(Path(folder), commits, say)
    with tempfile.TemporaryDirectory() as folder:
        say(f"lake: landing {LANDED:,} episodes, beside plain writes")
        yield _landing(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        say(f"lake: {number:,} episodes, {number:,} beliefs")
        yield from _among(Path(folder), number)


def _opened(home: Path) -> tuple[IcebergLedger, Store]:
    ledger = open_ledger(home, {"HOME": str(home)})
    return ledger, Store(local(home / "lake"))


def _small_commits(home: Path, count: int, say: Callable[[str], None]) -> Table:
    ledger, store = _opened(home)
    took: list[_Took] = []
    kept: list[_Took] = []
    for number, episode in enumerate(episodes(TENANT, count), start=1):
        took.append(_timed(partial(ledger.land, TENANT, [episode])))
        if number % EVERY == 0:
            sweeping = number % (5 * EVERY) == 0
            keep = partial(upkeep, store, sweeping=sweeping, progress=lambda _: None)
            kept.append(_timed(keep))
            cpu = median(one.cpu for one in took[-EVERY:]) * 1_000
            say(f"lake: {number:,} commits; CPU of the last {EVERY}: median {cpu:.0f} ms")
    rows: list[Sequence[Value]] = [
        (f"{first:,} to {last:,}", *_spread(took[first - 1 : last]))
        for first, last in _WINDOWS
        if last <= count
    ]
    rows += [("all", *_spread(took)), ("upkeep between them", *_spread(kept))]
    notes = [
        f"tables: episodes, payloads, commits; upkeep every {EVERY} commits (merge, expire, "
        f"compare; every {5 * EVERY} sweep)"
    ]
    return Table(
        "a commit of one episode (ms)", (Column("commits", "commits"), *_SPREAD), rows, notes
    )


class _Took(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float


_SPREAD: Final = (
    Column("number", "number", whole),
    Column("median", "median", millis),
    Column("p95", "p95", millis),
    Column("most", "most", millis),
    Column("CPU median", "cpu_median", millis),
    Column("CPU p95", "cpu_p95", millis),
)


def _spread(took: Sequence[_Took]) -> tuple[int, float, float, float, float, float]:
    wall, cpu = sorted(one.wall for one in took), sorted(one.cpu for one in took)
    last = max(0, math.ceil(len(took) * 0.95) - 1)
    return len(took), median(wall), wall[last], wall[-1], median(cpu), cpu[last]


def _timed(work: Callable[[], object]) -> _Took:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return _Took(time.perf_counter() - wall, time.process_time() - cpu)


def _landing(folder: Path) -> Table:
    held = list(episodes(TENANT, LANDED))
    land: list[_Took] = []
    plain: list[_Took] = []
    for turn in range(TURNS):
        home = folder / f"turn-{turn}"
        ledger, _ = _opened(home)
        land.append(_timed(partial(ledger.land, TENANT, held)))
        plain.append(_timed(partial(_write_plain, home, held)))
    rows = [
        (what, len(held), best.wall, len(held) / best.wall, best.cpu)
        for what, best in (("land", min(land)), ("plain Parquet", min(plain)))
    ]
    columns = (
        Column("", "what"),
        Column("episodes of 500 B", "episodes", whole),
        Column("seconds", "seconds", seconds),
        Column("per second", "per_second", whole),
        Column("CPU s", "cpu", seconds),
    )
    wall = min(land).wall / min(plain).wall
    cpu = min(one.cpu for one in land) / min(one.cpu for one in plain)
    notes = [
        f"best of {TURNS} turns each; plain: the same rows to Parquet files, no lake",
        f"land / plain: {wall:.1f} by wall, {cpu:.1f} by CPU",
    ]
    return Table("landing", columns, rows, notes)


def _write_plain(folder: Path, held: Sequence[Episode], chunk: int = 20_000) -> None:
    for first in range(0, len(held), chunk):
        part = held[first : first + chunk]
        digests = [""] * len(part)
        kept = [Kept("none", (), one.payload) for one in part]
        headers = header_rows(TENANT, "batch", part, kept, digests, 0)
        for name, rows in (("h", headers), ("p", payload_rows(TENANT, "batch", part, kept, 0))):
            pq.write_table(rows, folder / f"{name}{first}.parquet", compression="zstd")


def _among(home: Path, number: int) -> Iterator[Table]:
    ledger, store = _opened(home)
    ledger.land(TENANT, episodes(TENANT, number))
    changes = BeliefChanges(opened=tuple(beliefs(TENANT, number)))
    ledger.append_beliefs(TENANT, changes, through=1)
    plain = _plain_bytes(home, changes)
    sure = random.Random(7)
    first = _timed(lambda: ledger.payload(TENANT, f"episode-{number // 2}"))
    names = [f"episode-{sure.randrange(number)}" for _ in range(READS)]
    points = [_timed(partial(ledger.payload, TENANT, name)) for name in names]
    known = number // 2
    opening = [_timed(lambda: OpenLake(store, TENANT, known_at=known)) for _ in range(5)]
    lake = OpenLake(store, TENANT, known_at=known)
    text = _STATE.format(known_at=known)
    states = [_timed(lambda: lake.sql(text)) for _ in range(READS // 4)]
    yield Table(
        f"reads among {number:,} (ms)",
        (Column("read", "read"), *_SPREAD),
        [
            ("one payload, the first", *_spread([first])),
            ("one payload", *_spread(points)),
            ("opening for SQL", *_spread(opening)),
            (f"whole belief state, {lake.sql(text).num_rows:,} beliefs", *_spread(states)),
        ],
    )
    data = sum(length for path, length in files(home / "lake") if "/beliefs/data/" in str(path))
    yield Table(
        "bytes of a belief, table beliefs",
        (
            Column("beliefs", "beliefs"),
            Column("data", "data", size),
            Column("bytes a belief", "bytes_a_belief", tenths),
            Column("plain Parquet", "plain", tenths),
        ),
        [(number, data, data / number, plain / number)],
        ["made up: every id is of random bits, a third of the beliefs are closed; no payload"],
    )


_STATE: Final = (
    "SELECT belief_id, subject, predicate, object FROM beliefs "
    "WHERE valid_from <= 100 AND 100 < valid_to AND recorded_to > {known_at} AND listeners % 2 = 1"
)


def _plain_bytes(home: Path, changes: BeliefChanges) -> int:
    rows: pa.Table = belief_rows(TENANT, "batch", changes)
    file = home / "plain.parquet"
    pq.write_table(
        rows.sort_by([(name, "ascending") for name in BELIEFS.sort]), file, compression="zstd"
    )
    found = file.stat().st_size
    file.unlink()
    return found
