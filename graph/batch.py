"""One batch of the ledger's changes, written into the graph in an order that never shows half.

Nodes come first, then edges, confirmations and mentions, then closings, and last what reaches
below the watermark: the epoch moves before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from graph.forking import fork_dense
from graph.rows import BELIEF_ID, CONFIRMS, EDGE, Nodes, Row, confirms_row, edge_row
from graph.state import State
from graph.writer import Run, Writer
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import BeliefChanges

AT_ONCE: Final = 2_000
"""Changes that are written in one transaction, with their nodes and mentions."""
_CLOSING: Final = tuple(
    2 + EDGE.index(name)
    for name in (
        "belief_id", "recorded_to", "closed_by", "reason", "classification", "closed_at", "fork",
    )
)  # fmt: skip
"""Columns of an edge's row that `mend_edge` takes."""
SUPPORT_ID: Final = 2 + CONFIRMS.index("support_id")
"""Where a row of `open_confirms` has the box's id."""
_ENDING: Final = (SUPPORT_ID, 2 + CONFIRMS.index("recorded_to"))
MEND_EDGE: Final[Run] = ("mend_edge", lambda row: [row[at] for at in _CLOSING])
MEND_CONFIRMS: Final[Run] = ("mend_confirms", lambda row: [row[at] for at in _ENDING])
"""What sets the columns that may change after an edge was written."""


@dataclass(slots=True, kw_only=True)
class Batch:
    """One batch on its way into the graph."""

    begun: State
    changes: BeliefChanges
    headers: Mapping[str, Episode]
    writer: Writer
    resumed: bool
    attested_to: int | None
    bumped: bool = False

    def write(self) -> dict[str, int]:
        """Write all of it but the position; counts by the names of `Projected`."""
        if not self._small():
            return self._written()
        return self.writer.at_once(lambda one: replace(self, writer=one)._written())

    def _small(self) -> bool:
        """True for one transaction: few changes, and none that a reader could see the half of.

        A commit is applied edge by edge.
        """
        made = self.changes
        kinds = (made.opened, made.closed, made.supports_opened, made.supports_closed)
        number = sum(map(len, kinds))
        return number <= AT_ONCE and not made.tightened and not self._below()

    def _written(self) -> dict[str, int]:
        writer, below = self.writer, self._below()
        if below:
            self._bump()
        nodes = Nodes(self.begun.tenant)
        literal, linked = self._edges(nodes)
        self._supporters(nodes)
        writer.write("entities", nodes.entity_rows(), what="entities")
        writer.write("values", nodes.value_rows(), what="values")
        writer.write("episodes", nodes.episode_rows(self.headers), what="episodes")
        self._open("belief", linked, "edges between entities", BELIEF_ID, MEND_EDGE)
        self._open("attribute", literal, "edges to values", BELIEF_ID, MEND_EDGE)
        confirms = [
            confirms_row(support, self.attested_to) for support in self.changes.supports_opened
        ]
        self._open("confirms", confirms, "confirmations", SUPPORT_ID, MEND_CONFIRMS)
        first = self.begun.position == 0 and not self.resumed
        mentions = writer.write(
            "first_mentions" if first else "mentions",
            nodes.mention_rows(), what="mentions", lane_at=1,
        )  # fmt: skip
        self._close()
        fork_dense(writer, self.changes, first=self.begun.position == 0)
        if self.changes.tightened and not self.bumped:
            self._bump()
        self._tighten()
        return {
            "entities": len(nodes.types),
            "values": len(nodes.values),
            "episodes": len(self.headers),
            "edges_opened": len(self.changes.opened),
            "edges_closed": len(self.changes.closed),
            "tightened": len(self.changes.tightened),
            "confirms_opened": len(confirms),
            "confirms_closed": len(self.changes.supports_closed),
            "mentions": mentions,
            "below_watermark": below,
        }

    def _bump(self) -> None:
        self.bumped = True
        self.writer.bump()

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
            (literal if belief.linked is None else linked).append(row)
        return literal, linked

    def _supporters(self, nodes: Nodes) -> None:
        objects = {belief.belief_id: belief.linked for belief in self.changes.opened}
        supports = self.changes.supports_opened
        earlier = list({s.belief_id for s in supports if s.belief_id not in objects})
        if earlier:
            objects.update(self.writer.ask("object_entities", ids=earlier))
        for support in supports:
            nodes.add_support(support, objects.get(support.belief_id))

    def _open(self, kind: str, rows: list[Row], what: str, id_at: int, mend: Run) -> None:
        if self.resumed:
            done = self.writer.write_missing(rows, what=what, kind=kind, id_at=id_at, mend=mend)
        else:
            lane_at = 1 if kind == "confirms" else 0
            done = self.writer.write(f"open_{kind}", rows, what=what, lane_at=lane_at)
        require_all(done, len(rows), what, self.begun.tenant)

    def _close(self) -> None:
        closed: list[Row] = [
            [c.belief_id, c.recorded_to, c.closed_by, c.reason.value] for c in self.changes.closed
        ]
        self._each("close", closed, "closings")
        boxes: list[Row] = [[c.support_id, c.recorded_to] for c in self.changes.supports_closed]
        self._each("mend_confirms", boxes, "closed confirmations")

    def _tighten(self) -> None:
        rows: list[Row] = [[t.belief_id, t.strictest] for t in self.changes.tightened]
        self._each("tighten", rows, "tightened classifications")

    def _each(self, name: str, rows: list[Row], what: str) -> None:
        """Every row must reach its edge."""
        require_all(self.writer.write(name, rows, what=what), len(rows), what, self.begun.tenant)


def require_all(done: int, wanted: int, what: str, tenant: str) -> None:
    """IntegrityError unless every row reached what it was meant for."""
    if done != wanted:
        raise IntegrityError(
            f"{what} of {tenant!r}: {done} of {wanted} reached an edge or its ends",
            remedy=f"Mend it: beliefgraph verify {tenant} --repair names what is wrong.",
            tenant=tenant,
            done=done,
            wanted=wanted,
        )
