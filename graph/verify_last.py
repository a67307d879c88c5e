"""The graph against the lake where the last batches touched it: the cost follows the batches.

Every property of every edge of every entity that a commit since the last verified position
touched is compared, and what those edges lead to. The digest moves by difference: without the
lake's rows of those entities as they were then, with those as they are now. Where that cannot be
done everything is compared, and the answer says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field, replace

from neo4j import Driver

from graph import proof as proofs
from graph import state as states
from graph.comparison import Side, findings, told
from graph.lake_rows import Rows, Shape, lake_rows_of
from graph.proof import Proof
from graph.reading import graph_rows_of, subjects_of
from graph.standing import misstated
from graph.state import State
from graph.verify import Verified, judged, require_still, verify
from lakehouse.ledger import Ledger
from lakehouse.model.ledger import BeliefChanges, Stage


def verify_last(ledger: Ledger, driver: Driver, database: str, tenant: str) -> Verified:
    """Compare what was touched since the last verification, and else everything.

    ConflictError as `verify`.
    """
    state = states.read(driver, database, tenant)
    if state is None:
        return verify(ledger, driver, database, tenant)
    require_still(state)
    proof = proofs.read(driver, database, tenant)
    why = _unlike(ledger, state, proof)
    if proof is None or why:
        return replace(verify(ledger, driver, database, tenant), why=why)
    changes = ledger.belief_changes(tenant, after=proof.position, through=state.position)
    if changes.removed or changes.supports_removed:
        why = "an erasure reaches further than it says"
        return replace(verify(ledger, driver, database, tenant), why=why)
    touched = _touched(changes, driver, database, tenant)
    since = _Since(ledger, driver, database, state, proof, touched)
    if lost := since.lost(changes):
        why = f"the graph does not know whose edge {lost} is"
        return replace(verify(ledger, driver, database, tenant), why=why)
    return since.compare()


def _unlike(ledger: Ledger, state: State, proof: Proof | None) -> str:
    """Why the proof does not reach to the state; nothing when it does."""
    if proof is None:
        return "nothing that is there was found equal before"
    if proof.generation != state.generation:
        return "the projection was begun anew"
    if proof.epoch != state.epoch:
        return "edges below the watermark were changed by more than a batch"
    if proof.position > state.position:
        return "the projection stands at an earlier position than the one verified"
    if proof.position not in (0, state.position) and not any(
        commit.position == proof.position
        for commit in ledger.commits(state.tenant, stage=Stage.BELIEVE)
    ):
        return "the position verified is none of this lake's"
    return ""


def _touched(changes: BeliefChanges, driver: Driver, database: str, tenant: str) -> set[str]:
    """The entities whose edges the changes opened or closed; of the closed the graph knows it."""
    beliefs = {one.belief_id for one in changes.closed}
    beliefs.update(one.belief_id for one in changes.tightened)
    supports = {one.support_id for one in changes.supports_closed}
    known = subjects_of(driver, database, tenant, beliefs, supports)
    known.update(one.subject for one in changes.opened)
    known.update(one.subject for one in changes.supports_opened)
    return known


@dataclass(slots=True)
class _Since:
    """What lies between a proof and the state, about the entities that were touched."""

    ledger: Ledger
    driver: Driver
    database: str
    state: State
    proof: Proof
    touched: Collection[str]
    then: list[Rows] = field(init=False)
    """The lake's rows of these entities at the position of the proof."""
    now: list[Rows] = field(init=False)
    """And at the projected position."""

    def __post_init__(self) -> None:
        positions = (self.proof.position, self.state.position)
        self.then, self.now = lake_rows_of(self.ledger, self.state.tenant, positions, self.touched)

    def lost(self, changes: BeliefChanges) -> str:
        """A changed edge that is not among these entities', if there is one."""
        known = {
            shape.key(row)
            for shape, rows in self.now
            if shape.subject_at is not None
            for row in rows
        }
        wanted = [one.belief_id for one in changes.closed]
        wanted += [one.belief_id for one in changes.tightened]
        wanted += [one.support_id for one in changes.supports_closed]
        return next((name for name in wanted if name not in known), "")

    def compare(self) -> Verified:
        """Compare, and move the digest."""
        tenant, driver, database = self.state.tenant, self.driver, self.database
        wanted: defaultdict[Shape, set[str]] = defaultdict(set)
        for shape, rows in self.now:
            if not shape.edge:
                wanted[shape].update(str(row[0]) for row in rows)
        then = Side().take(self.then).digest
        lake = Side(digest=self.proof.digest - then).take(self.now)
        found = graph_rows_of(driver, database, tenant, self.touched, wanted)
        graph = Side(digest=self.proof.digest - then).take(found)
        differences = told(findings(lake, graph, lambda: self.now, lambda: found))
        differences += misstated(self.ledger, self.state)
        return judged(driver, database, self.state, (lake, graph), differences, len(self.touched))
