"""One run of a tenant's whole line, taken apart: seconds, CPU and rate of every stage.

Begin and end of a stage are what Dagster recorded; CPU is looked up for the same two instants.
What lies between stages (Dagster itself, opening the lake) is a row of its own, so that the rows
add up to the seconds from file to published watermark.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import dagster as dg

from graph.verify import Verified
from pipelines import proofs
from pipelines.assets import plain
from pipelines.commands import run_line
from pipelines.extract.declaration import Declaration
from pipelines.runs import LandConfig, Ran, instance_of
from tests.benchmarks.machine import CpuClock
from tests.benchmarks.stack import Stack
from tests.benchmarks.tables import Column, Table, Value, percent, seconds, size, whole


@dataclass(frozen=True, slots=True)
class Stage:
    """What a stage took; `own` and `server` are CPU seconds."""

    step: str
    wall: float
    own: float
    server: float


@dataclass(frozen=True, slots=True)
class Lined:
    """A run of the line, and the proof it published on."""

    ran: Ran
    whole: Stage
    stages: Sequence[Stage]
    verified: Verified
    most_memory: int


def run(stack: Stack, declared: Declaration) -> Lined:
    """Run the line once over what the source declares."""
    with CpuClock(stack.process) as clock:
        began = time.time()
        ran = run_line(
            declared.tenant, {declared.name: declared}, {declared.name: LandConfig()}, echo=False
        )
        ended = time.time()
    with instance_of(os.environ) as instance:
        stages = [
            Stage(step, last - first, *clock.between(first, last))
            for step, first, last in _steps(instance, ran.run_id)
        ]
        check = dg.AssetCheckKey(
            dg.AssetKey([plain(declared.tenant), "graph"]), "graph_equals_lake"
        )
        verified = proofs.newest(instance, check)
    total = Stage("whole line", ended - began, *clock.between(began, ended))
    return Lined(ran, total, stages, verified, clock.most_memory)


def _steps(instance: dg.DagsterInstance, run_id: str) -> Iterator[tuple[str, float, float]]:
    started: dict[str, float] = {}
    for entry in instance.all_logs(run_id):
        event = entry.dagster_event
        if event is None or event.step_key is None:
            continue
        if event.is_step_start:
            started[event.step_key] = entry.timestamp
        elif event.is_step_success:
            yield event.step_key, started[event.step_key], entry.timestamp


_COLUMNS = (
    Column("stage", "stage"),
    Column("what", "what"),
    Column("count", "count"),
    Column("seconds", "seconds", seconds),
    Column("per second", "per_second", whole),
    Column("share", "share", percent),
    Column("CPU s", "cpu", seconds),
    Column("server CPU s", "server_cpu", seconds),
    Column("goal s", "goal", whole),
)


def line_table(title: str, lined: Lined, declared: Declaration, goal: float | None) -> Table:
    """Where the time of one run went."""
    total = lined.whole
    by_step = {stage.step: stage for stage in lined.stages}
    tenant = plain(declared.tenant)
    statements = lined.ran.total("statements")
    told = (
        (f"{tenant}__episodes__{plain(declared.name)}", "land", "episodes landed",
         lined.ran.total("landed")),
        (f"{tenant}__statements", "extract", "statements extracted", statements),
        (f"{tenant}__beliefs", "believe", "statements folded", statements),
        (f"{tenant}__graph", "project", "edges projected", lined.ran.total("edges_opened")),
        (f"{tenant}__graph_graph_equals_lake", "prove", "edges verified", lined.verified.edges),
        (f"{tenant}__publication", "publish", "", None),
    )  # fmt: skip
    rows = [_row(by_step[step], name, what, count, total) for step, name, what, count in told]
    between = Stage(
        "",
        total.wall - sum(stage.wall for stage in lined.stages),
        total.own - sum(stage.own for stage in lined.stages),
        total.server - sum(stage.server for stage in lined.stages),
    )
    rows.append(_row(between, "between", "Dagster, opening", None, total))
    rows.append((*_row(total, "whole line", "file to watermark", None, total)[:-1], goal))
    notes = [f"most memory of this process: {size(lined.most_memory)}"]
    return Table(title, _COLUMNS, rows, notes)


def _row(stage: Stage, name: str, what: str, count: int | None, total: Stage) -> tuple[Value, ...]:
    rate = count / stage.wall if count is not None and stage.wall else None
    share = stage.wall / total.wall
    return (name, what, count, stage.wall, rate, share, stage.own, stage.server, None)


def again_table(title: str, lined: Lined) -> Table:
    """The second run: what it costs to see that nothing is new."""
    names = ("landed", "duplicates", "statements", "edges_opened", "edges_closed")
    columns = (
        *(Column(name.replace("_", " "), name) for name in names),
        Column("seconds", "seconds", seconds),
        Column("CPU s", "cpu", seconds),
        Column("server CPU s", "server_cpu", seconds),
        Column("slowest stage", "slowest"),
        Column("its seconds", "slowest_seconds", seconds),
    )
    slowest = max(lined.stages, key=lambda stage: stage.wall)
    row: tuple[Value, ...] = (
        *(lined.ran.total(name) for name in names),
        lined.whole.wall,
        lined.whole.own,
        lined.whole.server,
        slowest.step,
        slowest.wall,
    )
    return Table(title, columns, [row])
