"""From the position in the graph to the newest believe commit, without showing half a batch.

What a batch opens begins after the watermark and what it closes ends after it, so readers at or
below the watermark see none of it whatever the order of its transactions. Nodes come first, then
edges, closings, supporters and mentions; the position moves in the last transaction. Writing is
idempotent: a batch that was left unfinished is written again, and what is there stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from neo4j import Driver

from graph import state as states
from graph.rows import BELIEF_ID, EDGE, Nodes, Row, confirms_row, edge_row, require_headers
from graph.schema import VERSION
from graph.state import State
from graph.statements import statement
from graph.writer import Writer
from lakehouse.ledger import Ledger, Progress
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.model.ledger import BeliefChanges, Clock, Commit, Stage
from lakehouse.model.statements import ENTITY

_CLOSING: Final = tuple(
    2 + EDGE.index(name)
    for name in ("belief_id", "recorded_to", "closed_by", "reason", "classification", "closed_at")
)
"""Columns of an edge's row, behind its two ends: its id; what `mend_…` sets."""


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


class RebuildNeeded(ConflictError):
    """The tenant's graph must be made anew: an erasure waits, a drop was left, it is too old."""

    def __init__(self, tenant: str, why: str) -> None:
        super().__init__(
            f"the graph of {tenant!r} must be made anew: {why}",
            remedy=f"Rebuild it: beliefgraph run {tenant} --rebuild.",
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
    started = time.monotonic()
    state = states.read(driver, database, tenant)
    position = 0 if state is None else state.position
    believed = ledger.commits(tenant, stage=Stage.BELIEVE)
    _require_known(position, believed, tenant)
    written = state is not None and (position > 0 or state.projecting is not None)
    if state is not None and written and state.schema_version < VERSION:
        raise RebuildNeeded(tenant, "an older version of beliefgraph wrote it")
    if not believed or believed[-1].position == position:
        return Projected(tenant=tenant, position=position)
    newest = believed[-1]
    if state is not None and state.projecting == states.DROPPING:
        raise RebuildNeeded(tenant, "it was being dropped")
    waiting = [commit for commit in believed if commit.position > position]
    if written and any(commit.counts.get("removed") for commit in waiting):
        raise RebuildNeeded(tenant, "an erasure reaches edges that may be there already")
    changes = ledger.belief_changes(tenant, after=position, through=newest.position)
    resumed = state is not None and state.projecting is not None
    begun = states.begin(driver, database, tenant, position, newest.position)
    if begun.position != position:
        raise ConflictError(
            f"another projector moved {tenant!r} from position {position} to {begun.position}",
            remedy="Run again.",
            tenant=tenant,
        )
    heard = consumed(ledger, tenant, newest.through)
    attested_to = attested_through(heard)
    episodes = {belief.episode_id for belief in changes.opened}
    episodes.update(support.episode_id for support in changes.supports_opened)
    headers = ledger.headers(tenant, episodes) if episodes else {}
    require_headers(headers, episodes, tenant)
    batch = _Batch(
        driver=driver, database=database, begun=begun, changes=changes, headers=headers,
        writer=Writer(driver, database, progress), resumed=resumed, attested_to=attested_to,
    )  # fmt: skip
    counts = batch.write()
    states.advance(
        driver, database, begun,
        to=newest.position, ledger_to=heard[-1].ledger_to if heard else 0,
        attested_to=attested_to, clock=clock_of(heard).value, bump_epoch=batch.bumped,
    )  # fmt: skip
    return Projected(
        tenant=tenant, position=newest.position, resumed=resumed,
        seconds=time.monotonic() - started, **counts,
    )  # fmt: skip


def consumed(ledger: Ledger, tenant: str, through: int) -> list[Commit]:
    """The extract commits that a believe commit with that `through` has taken in."""
    found = ledger.commits(tenant, stage=Stage.EXTRACT)
    return [commit for commit in found if commit.position <= through]


def attested_through(heard: Sequence[Commit]) -> int | None:
    """The recorded instant up to which the sources vouch for the clock, None without imports."""
    imported = [commit for commit in heard if commit.clock is Clock.ATTESTED]
    return imported[-1].ledger_to if imported else None


def clock_of(heard: Sequence[Commit]) -> Clock:
    """ATTESTED while all that the tenant knows was imported."""
    clocks = {commit.clock for commit in heard}
    return Clock.ATTESTED if clocks == {Clock.ATTESTED} else Clock.SYSTEM


@dataclass(slots=True, kw_only=True)
class _Batch:
    """One batch on its way into the graph."""

    driver: Driver
    database: str
    begun: State
    changes: BeliefChanges
    headers: Mapping[str, Episode]
    writer: Writer
    resumed: bool
    attested_to: int | None
    bumped: bool = False

    def write(self) -> dict[str, int]:
        """Write all of it but the position; counts by the names of `Projected`."""
        below = self._below()
        if below:
            self._bump()
        nodes = Nodes(self.begun.tenant)
        literal, linked = self._edges(nodes)
        self._supporters(nodes)
        writer, opened = self.writer, self.changes.opened
        writer.write("entities", nodes.entity_rows(), what="entities")
        writer.write("values", nodes.value_rows(), what="values")
        writer.write("episodes", nodes.episode_rows(self.headers), what="episodes")
        self._open("belief", linked, "edges between entities", BELIEF_ID, _mend_edge)
        self._open("attribute", literal, "edges to values", BELIEF_ID, _mend_edge)
        confirms = [
            confirms_row(support, self.attested_to) for support in self.changes.supports_opened
        ]
        self._open("confirms", confirms, "confirmations", 9, lambda row: [row[9], row[5]])
        first = self.begun.position == 0 and not self.resumed
        mentions = writer.write(
            "first_mentions" if first else "mentions",
            nodes.mention_rows(), what="mentions", lane_at=1,
        )  # fmt: skip
        self._close()
        if self.changes.tightened and not self.bumped:
            self._bump()
        self._tighten()
        return {
            "entities": len(nodes.types),
            "values": len(nodes.values),
            "episodes": len(self.headers),
            "edges_opened": len(opened),
            "edges_closed": len(self.changes.closed),
            "tightened": len(self.changes.tightened),
            "confirms_opened": len(confirms),
            "confirms_closed": len(self.changes.supports_closed),
            "mentions": mentions,
            "below_watermark": below,
        }

    def _bump(self) -> None:
        self.bumped = True
        states.bump(self.driver, self.database, self.begun.tenant)

    def _below(self) -> int:
        watermark = self.begun.watermark
        if watermark is None:
            return 0
        changes = self.changes
        instants = chain(
            (belief.recorded_from for belief in changes.opened),
            (support.recorded_from for support in changes.supports_opened),
            (closing.recorded_to for closing in changes.closed),
            (closing.recorded_to for closing in changes.supports_closed),
        )
        return sum(instant <= watermark for instant in instants)

    def _edges(self, nodes: Nodes) -> tuple[list[Row], list[Row]]:
        literal: list[Row] = []
        linked: list[Row] = []
        for belief in self.changes.opened:
            target = nodes.add(belief)
            row = edge_row(belief, target, self.headers[belief.episode_id], self.attested_to)
            is_link = belief.object is not None and belief.object_kind == ENTITY
            (linked if is_link else literal).append(row)
        return literal, linked

    def _supporters(self, nodes: Nodes) -> None:
        objects = {
            belief.belief_id: belief.object if belief.object_kind == ENTITY else None
            for belief in self.changes.opened
        }
        supports = self.changes.supports_opened
        earlier = list({s.belief_id for s in supports if s.belief_id not in objects})
        if earlier:
            text = statement("object_entities")
            found = self.driver.execute_query(text, ids=earlier, database_=self.database)
            objects.update(found.records[0]["objects"])
        for support in supports:
            nodes.add_support(support, objects.get(support.belief_id))

    def _open(
        self, kind: str, rows: list[Row], what: str, id_at: int, mend: Callable[[Row], Row]
    ) -> None:
        if self.resumed:
            done = self.writer.write_missing(rows, what=what, kind=kind, id_at=id_at, mend=mend)
        else:
            lane_at = 1 if kind == "confirms" else 0
            done = self.writer.write(f"open_{kind}", rows, what=what, lane_at=lane_at)
        _require_all(done, len(rows), what, self.begun.tenant)

    def _close(self) -> None:
        closed: list[Row] = [
            [c.belief_id, c.recorded_to, c.closed_by, c.reason.value] for c in self.changes.closed
        ]
        self._each_type("close", closed, "closings")
        boxes: list[Row] = [[c.support_id, c.recorded_to] for c in self.changes.supports_closed]
        done = self.writer.write("mend_confirms", boxes, what="closed confirmations")
        _require_all(done, len(boxes), "closed confirmations", self.begun.tenant)

    def _tighten(self) -> None:
        rows: list[Row] = [[t.belief_id, t.strictest] for t in self.changes.tightened]
        self._each_type("tighten", rows, "tightened classifications")

    def _each_type(self, verb: str, rows: list[Row], what: str) -> None:
        done = sum(
            self.writer.write(f"{verb}_{kind}", rows, what=what) for kind in ("belief", "attribute")
        )
        _require_all(done, len(rows), what, self.begun.tenant)


def _mend_edge(row: Row) -> Row:
    return [row[at] for at in _CLOSING]


def _require_known(position: int, believed: Iterable[Commit], tenant: str) -> None:
    if position and position not in {commit.position for commit in believed}:
        raise IntegrityError(
            f"the graph of {tenant!r} stands at position {position}, which its ledger does not "
            "know: it was projected from another lake",
            remedy="Rebuild it: `graph.drop.drop`, then project again.",
            tenant=tenant,
            position=position,
        )


def _require_all(done: int, wanted: int, what: str, tenant: str) -> None:
    if done != wanted:
        raise IntegrityError(
            f"{what} of {tenant!r}: {done} of {wanted} reached an edge or its ends",
            remedy="Verify names what is missing; a rebuild mends it.",
            tenant=tenant,
            done=done,
            wanted=wanted,
        )
