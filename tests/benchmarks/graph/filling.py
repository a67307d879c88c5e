"""The set into the lake, through its own doors: landed, told as statements, folded, appended.

A window is a landing, an extract commit and a believe commit. The fold is `believe`'s own; since
the keys of a window are new (but for the sensor's), their statements are at hand and are not read
back from the lake for it.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field

from lakehouse.ledger import Ledger
from lakehouse.model.changes import changes
from lakehouse.model.ledger import Clock
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Predicate
from lakehouse.model.statements import ENTITY, Statement
from tests.benchmarks.graph.histories import (
    CARDINALITY,
    SENSOR,
    TENANT,
    Batch,
    Shape,
    batches,
    cardinality,
)
from tests.benchmarks.stack import Say
from tests.benchmarks.tables import Column, Table, Value, seconds, whole


@dataclass(slots=True)
class Stage:
    """How many of what went through it, and the seconds that took."""

    what: str
    number: int = 0
    taken: float = 0.0


@dataclass(slots=True)
class Filled:
    """The stages by name."""

    stages: dict[str, Stage] = field(default_factory=dict)

    def add(self, name: str, what: str, number: int, began: float) -> None:
        """So many more, since `began` (`time.perf_counter`)."""
        stage = self.stages.setdefault(name, Stage(what))
        stage.number += number
        stage.taken += time.perf_counter() - began


def declare(ledger: Ledger) -> None:
    """Record which predicates have many values."""
    for name, many in CARDINALITY.items():
        body = asdict(Predicate(name, many, ENTITY))
        ledger.define(TENANT, "predicates", name, {**body, "cardinality": many.value})


def fill(ledger: Ledger, shape: Shape, say: Say) -> Filled:
    """All windows of the set into an empty lake."""
    filled = Filled()
    declare(ledger)
    sensor: list[Statement] = []
    since: int | None = None
    began = time.perf_counter()
    for number, batch in enumerate(batches(shape), start=1):
        filled.add("made by the script", "statements", len(batch.extracted), began)
        since = _window(ledger, batch, sensor, since, filled)
        beliefs = filled.stages["folded"].number
        say(f"graph: window {number} in the lake, {beliefs:,} beliefs so far")
        began = time.perf_counter()
    return filled


def _window(
    ledger: Ledger, batch: Batch, sensor: list[Statement], since: int | None, filled: Filled
) -> int:
    """One window; the highest recorded instant of the ledger after it."""
    began = time.perf_counter()
    landed = ledger.land(TENANT, batch.episodes, chunk=100_000)
    filled.add("landed", "episodes", landed.landed, began)
    began = time.perf_counter()
    through = landed.commits[-1].position
    told = ledger.append_statements(TENANT, batch.extracted, clock=Clock.ATTESTED, through=through)
    filled.add("statements appended", "statements", len(batch.extracted), began)
    began = time.perf_counter()
    fresh = [one.statement for one in batch.extracted]
    found = changes([*sensor, *fresh], cardinality, Listeners(), since)
    filled.add("folded", "beliefs", len(found.opened), began)
    sensor += [statement for statement in fresh if statement.subject == SENSOR]
    began = time.perf_counter()
    ledger.append_beliefs(TENANT, found, through=told.position)
    filled.add("beliefs appended", "beliefs", len(found.opened), began)
    return told.ledger_to


def filling_table(filled: Filled) -> Table:
    """What the way into the lake took; no goal stands beside it here."""
    rows: list[tuple[Value, ...]] = [
        (name, stage.what, stage.number, stage.taken, stage.number / stage.taken)
        for name, stage in filled.stages.items()
    ]
    columns = (
        Column("into the lake", "stage"),
        Column("what", "what"),
        Column("number", "number", whole),
        Column("seconds", "seconds", seconds),
        Column("a second", "per_second", whole),
    )
    return Table("graph: the set into the lake", columns, rows)
