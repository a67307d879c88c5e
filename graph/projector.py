"""From the position in the graph to the newest believe commit, without showing half a batch.

What a batch opens begins after the watermark and what it closes ends after it, so readers at or
below the watermark see none of it whatever the order of its transactions (`batch`); the position
moves in the last one. Writing is idempotent: a batch that was left unfinished is written again,
and what is there stays.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from neo4j import Driver

from graph import state as states
from graph.batch import Batch
from graph.facts import Facts, facts_of, of_stage
from graph.reading import holds
from graph.rows import require_headers
from graph.schema import VERSION
from graph.standing import require_same_lake
from graph.state import State
from graph.writer import Writer
from lakehouse.ledger import Ledger, Progress
from lakehouse.model.errors import ConflictError
from lakehouse.model.ledger import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Projected:
    """What a projection did; all zeros but `position` when there was nothing new."""

    tenant: str
    position: int
    resumed: bool = False
    entities: int = 0
    values: int = 0
    episodes: int = 0
    edges_opened: int = 0
    edges_closed: int = 0
    tightened: int = 0
    confirms_opened: int = 0
    confirms_closed: int = 0
    mentions: int = 0
    below_watermark: int = 0
    """Openings and closings at or below the watermark: none, unless the ledger let one in late."""
    seconds: float = 0.0


class RepairNeeded(ConflictError):
    """What is in the tenant's graph must be compared and mended, adding to it will not do."""

    def __init__(self, tenant: str, why: str) -> None:
        super().__init__(
            f"the graph of {tenant!r} must be repaired: {why}",
            remedy=f"Repair it: beliefgraph run {tenant}.",
            tenant=tenant,
        )


def project(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    *,
    progress: Progress | None = None,
) -> Projected:
    """Bring the tenant's graph to the newest believe commit; the watermark stays where it is."""
    state = states.read(driver, database, tenant)
    position = 0 if state is None else state.position
    commits = ledger.commits(tenant)
    believed = of_stage(commits, Stage.BELIEVE)
    if state is not None:
        require_same_lake(commits, state)
        _require_sound(state)
    if not believed or believed[-1].position == position:
        return Projected(tenant=tenant, position=position)
    written = state is not None and (position > 0 or state.projecting is not None)
    if not written and holds(driver, database, tenant):
        raise RepairNeeded(tenant, "it holds what no position tells of")
    waiting = [commit for commit in believed if commit.position > position]
    if written and any(commit.counts.get("removed") for commit in waiting):
        raise RepairNeeded(tenant, "an erasure reaches edges that may be there already")
    begun = states.begin(driver, database, tenant, position, believed[-1].position)
    return write(ledger, driver, database, begun, facts_of(commits, believed[-1]), progress)


def write(
    ledger: Ledger,
    driver: Driver,
    database: str,
    begun: State,
    facts: Facts,
    progress: Progress | None,
) -> Projected:
    """Write what lies between the position of a batch that was begun and that of the facts."""
    started, tenant = time.monotonic(), begun.tenant
    changes = ledger.belief_changes(tenant, after=begun.position, through=facts["to"])
    resumed = begun.unfinished is not None and begun.unfinished > 0
    episodes = {belief.episode_id for belief in changes.opened}
    episodes.update(support.episode_id for support in changes.supports_opened)
    headers = ledger.headers(tenant, episodes) if episodes else {}
    require_headers(headers, episodes, tenant)
    batch = Batch(
        begun=begun, changes=changes, headers=headers,
        writer=Writer(driver, database, progress, begun), resumed=resumed,
        attested_to=facts["attested_to"],
    )  # fmt: skip
    counts = batch.write()
    closed = states.advancing(begun, **facts, bump_epoch=batch.bumped, watermark=begun.watermark)
    states.advance(driver, database, begun, closed)
    return Projected(
        tenant=tenant, position=facts["to"], resumed=resumed,
        seconds=time.monotonic() - started, **counts,
    )  # fmt: skip


def _require_sound(state: State) -> None:
    """RepairNeeded unless what is there is what a projection of this version left."""
    if state.projecting == states.DROPPING:
        raise RepairNeeded(state.tenant, "it was being dropped")
    if state.projecting == states.REPAIRING:
        raise RepairNeeded(state.tenant, "a repair was left unfinished")
    if state.schema_version < VERSION:
        raise RepairNeeded(
            state.tenant, f"its edges are of schema {state.schema_version}, {VERSION} is written"
        )
