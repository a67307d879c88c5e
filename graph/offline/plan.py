"""Which tenants a rebuild makes, and what their Projection nodes will say."""

from __future__ import annotations

from neo4j import Driver

from graph import state as states
from graph.facts import facts_of, of_stage
from graph.state import State
from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConflictError, InputError
from lakehouse.model.ledger import Stage


def plan(ledger: Ledger, driver: Driver, database: str) -> list[State]:
    """Every tenant with beliefs, at its newest believe commit.

    Generation and epoch lie above those that readers of the old store may know. InputError where
    the lake holds no beliefs, ConflictError where the graph holds tenants that the lake does not.
    """
    before = {state.tenant: state for state in states.every(driver, database)}
    aims = [
        aim
        for tenant in ledger.tenants()
        if (aim := _aim(ledger, tenant, before.get(tenant))) is not None
    ]
    lost = sorted(
        state.tenant
        for state in before.values()
        if state.position and state.tenant not in {aim.tenant for aim in aims}
    )
    if lost:
        raise ConflictError(
            f"the graph holds tenants that this lake has no beliefs of: {', '.join(lost)}; a "
            "rebuild makes the whole store, and would lose them",
            remedy="Are the settings of another lake missing (PYICEBERG_HOME and the like)? Else "
            "rebuild in place, tenant by tenant: beliefgraph run TENANT --rebuild.",
        )
    if not aims:
        raise InputError(
            "the lake holds no beliefs yet", remedy="Run a tenant first: beliefgraph run TENANT."
        )
    return aims


def _aim(ledger: Ledger, tenant: str, before: State | None) -> State | None:
    commits = ledger.commits(tenant)
    believed = of_stage(commits, Stage.BELIEVE)
    if not believed:
        return None
    newest = believed[-1]
    facts = facts_of(commits, newest)
    told = ledger.publications(tenant)
    epochs = [before.epoch if before else 0, *(one.epoch for one in told[-1:])]
    return State(
        tenant=tenant,
        position=newest.position,
        watermark=None,
        epoch=max(epochs) + 1,
        generation=before.generation + 1 if before else 1,
        digest="",
        projecting=None,
        ledger_to=facts["ledger_to"],
        clock=facts["clock"],
        attested_to=facts["attested_to"],
        batch=facts["batch"],
    )
