"""Where a stage's CPU goes: each stage called directly, under cProfile, without Dagster.

The profiler makes everything slower and small functions most of all: read the order, take the
seconds from the line's own table.
"""

from __future__ import annotations

import cProfile
import os
import pstats
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from graph.projector import project
from graph.verify import verify
from lakehouse.believe import believe
from lakehouse.iceberg import open_ledger
from lakehouse.keys import TenantKeys
from lakehouse.model.listeners import Listeners
from lakehouse.stamping import system_clock
from pipelines import tenancy
from pipelines.extract.declaration import Declaration
from pipelines.extraction import extract
from pipelines.landing import land
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, seconds

MOST: Final = 14
_ROOT: Final = Path(__file__).parents[2]
_INSTALLED: Final = "site-packages"


def profile(stack: Stack, declared: Declaration) -> list[Table]:
    """The hot functions of each stage, over an empty home."""
    ledger, tenant = open_ledger(stack.home, os.environ), declared.tenant
    sources = {declared.name: declared}

    def extraction() -> object:
        tenancy.record(ledger, tenant, sources.values())
        key = TenantKeys(stack.home).of(tenant).secret
        return extract(ledger, tenant, sources, key=key, now=system_clock)

    def beliefs() -> object:
        cardinality = tenancy.cardinality_of(ledger, tenant)
        listeners = Listeners.from_record(
            ledger.definitions(tenant, tenancy.LISTENERS).get(tenancy.LISTENERS)
        )
        return believe(ledger, tenant, cardinality, listeners)

    stages: dict[str, Callable[[], object]] = {
        "land": lambda: land(ledger, declared, os.environ),
        "extract": extraction,
        "believe": beliefs,
        "project": lambda: project(ledger, stack.driver, stack.database, tenant),
        "prove": lambda: verify(ledger, stack.driver, stack.database, tenant),
    }
    return [_table(f"{tenant}: {name}, profiled", work) for name, work in stages.items()]


def _table(title: str, work: Callable[[], object]) -> Table:
    profiler = cProfile.Profile()
    profiler.enable()
    work()
    profiler.disable()
    # The statistics are an attribute that the types of the standard library do not tell.
    told: Any = pstats.Stats(profiler)
    total = told.total_tt
    found = sorted(told.stats.items(), key=lambda item: -item[1][2])[:MOST]
    rows: list[tuple[Value, ...]] = [
        (_name(*where), calls, own, through, own / total)
        for where, (_, calls, own, through, _callers) in found
    ]
    columns = (
        Column("function", "function"),
        Column("calls", "calls"),
        Column("own s", "own", seconds),
        Column("with callees s", "with_callees", seconds),
        Column("share", "share", lambda value: f"{value * 100:.0f}%"),
    )
    return Table(title, columns, rows, [f"under the profiler: {total:.1f} s"])


def _name(file: str, line: int, function: str) -> str:
    if file.startswith(str(_ROOT)) and _INSTALLED not in file:
        return f"{Path(file).relative_to(_ROOT)}:{line} {function}"
    if _INSTALLED in file:
        return f"{file.partition(_INSTALLED)[2].lstrip('/')}:{line} {function}"
    return function if file == "~" else f"{Path(file).name}:{line} {function}"
