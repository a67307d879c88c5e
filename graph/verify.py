"""The graph against the lake in full: every property of every edge and node, and their digest.

Both sides are turned into the same rows (`graph.rows`) and compared by fingerprint, the two
read side by side. The digest counts the edges that are believed or confirm;
nodes and mentions are compared row by row as well, and follow from those edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from neo4j import Driver

from graph import proof as proofs
from graph import state as states
from graph.comparison import Difference, Finding, Kind, Side, findings, told, uncollected
from graph.digest import NOTHING
from graph.lake_rows import Rows, lake_rows
from graph.lake_side import lake_side
from graph.reading import graph_rows, holds, strays
from graph.standing import misstated, unstated
from graph.state import State
from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConflictError


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a comparison found. `edges` and `nodes` are those of the graph that were compared."""

    tenant: str
    position: int
    epoch: int
    generation: int
    edges: int
    nodes: int
    differences: tuple[Difference, ...]
    digest: str
    lake_digest: str
    entities: int | None = None
    """How many entities were compared; None when it was everything."""
    why: str = ""
    """Why everything was compared, where only the last batches were asked for."""

    @property
    def equal(self) -> bool:
        """True when the graph holds exactly what the lake says."""
        return not self.differences and self.digest == self.lake_digest

    @property
    def summary(self) -> str:
        """In one line: what was compared, and how it ended."""
        if self.entities == 0 and self.equal:
            return "nothing was touched since the last verification"
        scope = "everything" if self.entities is None else f"{self.entities:,} entities touched"
        why = f" ({self.why})" if self.why else ""
        end = "all equal" if self.equal else f"{len(self.differences):,} DIFFER"
        return f"compared {self.edges:,} edges with the lake, {scope}{why}: {end}"


def verify(
    ledger: Ledger, driver: Driver, database: str, tenant: str, known: Side | None = None
) -> Verified:
    """Compare all of the tenant's projection with its ledger at the projected position.

    `known` is the ledger's side at that position, where it has been read already. What was found
    equal is recorded, so that the next batches can be verified alone.
    ConflictError while a batch is under way or was left unfinished, or when the projection moved
    meanwhile.
    """
    state = states.read(driver, database, tenant)
    if state is None:
        return Verified(
            tenant=tenant, position=0, epoch=0, generation=0, edges=0, nodes=0,
            differences=unstated(ledger, tenant, holds=holds(driver, database, tenant)),
            digest=NOTHING, lake_digest=NOTHING,
        )  # fmt: skip
    require_still(state)
    lake, graph, found = compared(ledger, driver, database, tenant, state.position, known)
    differences = told(found) + outside(driver, database, tenant) + misstated(ledger, state)
    return judged(driver, database, state, (lake, graph), differences)


def compared(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    position: int,
    known: Side | None = None,
) -> tuple[Side, Side, list[Finding]]:
    """The tenant's ledger at a position (`known` or not), its graph as it is, and what differs."""

    def lake_again() -> Iterator[Rows]:
        return lake_rows(ledger, tenant, position)

    def graph_side() -> Iterator[Rows]:
        return graph_rows(driver, database, tenant)

    with uncollected(), lake_side(ledger, tenant, position, known) as beside:
        graph = Side().take(graph_side())
        lake = beside()
        return lake, graph, findings(lake, graph, lake_again, graph_side)


def outside(driver: Driver, database: str, tenant: str) -> tuple[Difference, ...]:
    """Edges that reach the tenant's nodes from outside of it."""
    return tuple(
        Difference(
            Kind.FOREIGN,
            belief_id,
            f"({start})-[:{name}]->({end}) comes from outside of the tenant",
        )
        for name, belief_id, start, end in strays(driver, database, tenant)
    )


def judged(
    driver: Driver,
    database: str,
    state: State,
    sides: tuple[Side, Side],
    differences: tuple[Difference, ...],
    entities: int | None = None,
) -> Verified:
    """What was found of that state's lake and graph, recorded as a proof or as none."""
    lake, graph = sides
    found = Verified(
        tenant=state.tenant, position=state.position, epoch=state.epoch,
        generation=state.generation, edges=graph.edges, nodes=graph.nodes,
        differences=differences, digest=graph.digest.whole,
        lake_digest=lake.digest.whole, entities=entities,
    )  # fmt: skip
    if found.equal:
        proofs.record(driver, database, state, lake.digest)
        return found
    after = states.read(driver, database, state.tenant)
    if after is None or (after.position, after.epoch, after.generation, after.projecting) != (
        state.position, state.epoch, state.generation, None,
    ):  # fmt: skip
        raise ConflictError(
            f"the projection of {state.tenant!r} moved while it was verified",
            remedy="Verify again.",
            tenant=state.tenant,
        )
    proofs.found_different(driver, database, state.tenant)
    return found


def require_still(state: State) -> None:
    """ConflictError while something writes, or where a batch was left unfinished."""
    if state.projecting is None:
        return
    begun = {states.DROPPING: "drop", states.REPAIRING: "repair"}.get(
        state.projecting, f"projection to position {state.projecting}"
    )
    raise ConflictError(
        f"the {begun} of {state.tenant!r} is not finished",
        remedy=f"Let it end; if it was stopped, beliefgraph run {state.tenant} takes it up.",
        tenant=state.tenant,
    )
