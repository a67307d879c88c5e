"""The whole graph made anew offline, beside the server that answers, and swapped in."""

from __future__ import annotations

import os
import time

from graph.offline.rebuild import rebuild
from lakehouse.iceberg import open_ledger
from tests.benchmarks.stack import Say, Stack
from tests.benchmarks.tables import Column, Table, Value, percent, seconds, verdict, whole

GOAL = 40_000
"""Edges a second from end to end."""


def rebuilding_table(running: Stack, say: Say) -> Table:
    """Rebuild it; the server is another process afterwards, so open its stack anew."""
    ledger = open_ledger(running.home, os.environ)
    began = time.perf_counter()
    done = rebuild(ledger, os.environ, progress=say)
    taken = time.perf_counter() - began
    rows: list[tuple[Value, ...]] = [
        (step, second, second / taken, None, "", "") for step, second in done.seconds.items()
    ]
    rate = done.edges / taken
    rows.append(("end to end", taken, 1.0, rate, f"{GOAL:,} edges/s", verdict(rate < GOAL)))
    columns = (
        Column("rebuilt offline", "step"),
        Column("seconds", "seconds", seconds),
        Column("share", "share", percent),
        Column("edges a second", "per_second", whole),
        Column("goal", "goal"),
        Column("", "met"),
    )
    notes = [
        f"{done.edges:,} edges and {done.nodes:,} nodes, proved before the swap; readers are "
        "without a server during the last step only"
    ]
    return Table("graph: rebuilt offline, with swap", columns, rows, notes)
