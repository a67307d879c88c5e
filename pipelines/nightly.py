"""Every night all of every tenant's graph is compared with the lake, as a Dagster job.

A run compares what its batches touched; what somebody did to the rest of the graph is found here.
A tenant that differs is not published again before it was compared in full and found equal.
"""

import dagster as dg

from graph import state as states
from graph.verify import Verified, verify
from lakehouse.model.errors import ConflictError
from pipelines import proofs
from pipelines.resources import Graph, Lake, Narrator

_SHOWN = 20


@dg.op(retry_policy=dg.RetryPolicy(max_retries=3, delay=300))
def prove_graphs(
    context: dg.OpExecutionContext, lake: Lake, graph_: Graph, narrator: Narrator
) -> None:
    """Compare each tenant that is projected; fail where one differs.

    One that a run is writing to is tried again with all others, three times.
    """
    wrong: list[str] = []
    moving: list[str] = []
    with graph_.open() as (driver, database):
        for tenant in lake.ledger.tenants():
            if states.read(driver, database, tenant) is None:
                continue
            try:
                found = verify(lake.ledger, driver, database, tenant)
            except ConflictError as moved:
                moving.append(f"{tenant} could not be compared: {moved.message}")
                continue
            narrator.say(f"{tenant}: {found.summary}")
            context.log.info(f"{tenant}: {found.summary}")
            wrong += _told(found)
    context.add_output_metadata({"wrong": len(wrong)})
    if wrong or moving:
        told = [*wrong, *moving]
        raise dg.Failure(
            "; ".join(told[:_SHOWN]),
            metadata={"wrong": dg.MetadataValue.json(told)},
            allow_retries=not wrong,
        )


def _told(found: Verified) -> list[str]:
    if found.equal:
        return []
    told = f"{found.tenant}: {found.summary} (beliefgraph verify {found.tenant} --repair)"
    return [told, *proofs.first_of(found)]


@dg.job(executor_def=dg.in_process_executor)
def graph_proof() -> None:
    """Compare all of every graph with the lake."""
    prove_graphs()


@dg.schedule(
    job=graph_proof, cron_schedule="20 4 * * *", default_status=dg.DefaultScheduleStatus.RUNNING
)
def graph_proof_nightly() -> dg.RunRequest:
    """Every night, after the lake's upkeep."""
    return dg.RunRequest()


def definitions() -> dg.Definitions:
    """The job and its schedule."""
    return dg.Definitions(jobs=[graph_proof], schedules=[graph_proof_nightly])
