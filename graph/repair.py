"""The graph is made what the lake says by writing the difference, whatever is there.

One mechanism for a repair, a rebuild in place, an erasure and edges of an older schema. What lies
above the watermark is written in batches, as by a projection. What a reader could see is written
in one transaction, and readers wait (`below`) while it is committed; where it is too much for one,
they are refused until all of it is there. Whoever finds a repair unfinished compares again:
nothing else is needed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from neo4j import Driver, ManagedTransaction

from graph import proof as proofs
from graph import state as states
from graph.batch import require_all
from graph.comparison import Difference, told
from graph.drop import drop
from graph.facts import facts_of, of_stage
from graph.mending import Step, Work, plan, twins
from graph.projector import Projected, RepairNeeded, project, write
from graph.reading import holds
from graph.rows import Row, prefix
from graph.standing import sound_watermark
from graph.state import State
from graph.statements import statement
from graph.verify import compared, outside
from graph.writer import Writer, count
from lakehouse.ledger import Ledger, Progress
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Stage

AT_ONCE: Final = 5_000
"""Rows that are written below the watermark in one transaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """What a repair found and wrote; `edges_opened` are those created anew or in place of others.

    `below` of the rows reached below the watermark; `refused` tells that readers were refused
    meanwhile.
    """

    tenant: str
    position: int
    differences: tuple[Difference, ...] = ()
    edges_opened: int = 0
    edges_closed: int = 0
    removed: int = 0
    nodes: int = 0
    below: int = 0
    refused: bool = False
    seconds: float = 0.0


def repair(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    *,
    progress: Progress | None = None,
) -> Projected | Repaired:
    """Make the graph what the lake says at its newest believe position; the watermark stays.

    A graph that holds nothing of the tenant is loaded. ConflictError where another projector
    takes over, IntegrityError where the ledger holds no beliefs of the tenant but the graph does.
    """
    started = time.monotonic()
    if not ledger.commits(tenant, stage=Stage.BELIEVE):
        return _nothing(driver, database, tenant)
    begun = states.begin(driver, database, tenant, None, states.REPAIRING)
    empty = not holds(driver, database, tenant)
    if empty and (begun.position or begun.watermark is not None):
        drop(driver, database, tenant)
        begun = states.begin(driver, database, tenant, None, states.REPAIRING)
        empty = not begun.position and not holds(driver, database, tenant)  # Or another loaded it.
    commits = ledger.commits(tenant)  # From here on nobody else projects a newer one.
    newest = of_stage(commits, Stage.BELIEVE)[-1]
    closing = facts_of(commits, newest)
    if empty:
        return write(ledger, driver, database, begun, closing, progress)
    _, _, findings = compared(ledger, driver, database, tenant, newest.position)
    strays = outside(driver, database, tenant)
    told_of = told(findings) + strays
    if told_of:
        proofs.forget(driver, database, tenant)
    mend = _Mend(driver, database, begun, Writer(driver, database, progress, begun), bool(strays))
    twice = twins(findings)
    if twice is not None:
        states.bump(driver, database, begun)
        mend.batches([twice])
        _, _, findings = compared(ledger, driver, database, tenant, newest.position)
    steps = plan(findings, begun.watermark)
    mend.batches(step for step in steps if not step.below)
    below = [step for step in steps if step.below]
    rows = sum(len(step.rows) for step in below) + len(strays)
    seen = rows > 0 and begun.watermark is not None
    if not seen:
        mend.strays_now()
    elif rows <= AT_ONCE:
        mend.at_once(below)
    else:
        states.bump(driver, database, begun)
        mend.batches(below)
        mend.strays_now()
    watermark = sound_watermark(ledger, begun, closing)
    moved = seen or twice is not None
    closed = states.advancing(begun, **closing, bump_epoch=moved, watermark=watermark)
    states.advance(driver, database, begun, closed)
    counts = Counter(removed=len(strays))
    for step in steps if twice is None else [twice, *steps]:
        counts[step.work.counts] += len(step.rows)
    return Repaired(
        tenant=tenant, position=newest.position, differences=told_of,
        below=rows, refused=seen and rows > AT_ONCE,
        seconds=time.monotonic() - started, **counts,
    )  # fmt: skip


def catch_up(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    *,
    progress: Progress | None = None,
) -> Projected | Repaired:
    """Project what waits; where that cannot be done on what is there, repair."""
    try:
        return project(ledger, driver, database, tenant, progress=progress)
    except RepairNeeded:
        return repair(ledger, driver, database, tenant, progress=progress)


@dataclass(frozen=True, slots=True)
class _Mend:
    """Steps on their way into the graph."""

    driver: Driver
    database: str
    begun: State
    writer: Writer
    strays: bool

    def batches(self, steps: Iterable[Step]) -> None:
        """Each step in transactions of its own."""
        for step in steps:
            work = step.work
            done = self.writer.work(partial(_run, work), step.rows, work.what, work.lane_at)
            require_all(done, len(step.rows), work.what, self.begun.tenant)

    def at_once(self, steps: Sequence[Step]) -> None:
        """All of them in one transaction; `states.advance` must follow.

        Who reads while it is committed sees some of it, so the epoch moves right before that. The
        lanes are locked last: whoever takes over holds what the epoch waits for.
        """
        tenant = self.begun.tenant

        def work(tx: ManagedTransaction) -> None:
            for step in steps:
                done = _run(step.work, tx, step.rows)
                require_all(done, len(step.rows), step.work.what, tenant)
            if self.strays:
                self._remove_strays(tx)
            states.bump(self.driver, self.database, self.begun)
            states.require_hold(tx, self.begun)

        with self.driver.session(database=self.database) as session:
            session.execute_write(work)

    def strays_now(self) -> None:
        """Remove what comes from outside, in a transaction of its own."""
        if self.strays:
            with self.driver.session(database=self.database) as session:
                session.execute_write(self._remove_strays)

    def _remove_strays(self, tx: ManagedTransaction) -> None:
        tenant = self.begun.tenant
        text = statement("remove_strays")
        tx.run(text, prefix=prefix(tenant), tenant=tenant).consume()


def _run(work: Work, tx: ManagedTransaction, rows: list[Row]) -> int:
    done = 0
    for name, of in work.runs:
        done = count(tx, statement(name), [of(row) for row in rows])
    return done


def _nothing(driver: Driver, database: str, tenant: str) -> Repaired:
    if holds(driver, database, tenant):
        raise IntegrityError(
            f"the lake holds no beliefs of {tenant!r}, but the graph does",
            remedy="`beliefgraph doctor` says whether a setting names another lake.",
            tenant=tenant,
        )
    return Repaired(tenant=tenant, position=0)
