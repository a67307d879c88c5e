"""What was verified last: a position with its digest by bucket, kept beside the Projection node.

On a node of its own: every read returns the Projection node, and 64 sums are 2 KB. It is recorded
only of the very state that was compared, and it is forgotten where a comparison found differences
or something was written that is not told as a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from neo4j import Driver

from graph.digest import BUCKETS, Digest
from graph.state import State
from graph.statements import statement
from lakehouse.model.errors import ConflictError
from lakehouse.stamping import system_clock


@dataclass(frozen=True, slots=True)
class Proof:
    """A state that was found equal to the lake."""

    position: int
    epoch: int
    generation: int
    digest: Digest


def read(driver: Driver, database: str, tenant: str) -> Proof | None:
    """The tenant's newest proof; None where there is none, or one in other buckets."""
    records = driver.execute_query(
        statement("projection_proof"), tenant=tenant, database_=database
    ).records
    if not records or len(records[0]["proof"]["buckets"]) != BUCKETS:
        return None
    node = records[0]["proof"]
    digest = Digest.of(node["buckets"])
    return Proof(node["position"], node["epoch"], node["generation"], digest)


def record(driver: Driver, database: str, state: State, digest: Digest) -> None:
    """That state was found equal to the lake; ConflictError where it moved meanwhile."""
    records = driver.execute_query(
        statement("record_proof"),
        tenant=state.tenant,
        position=state.position,
        epoch=state.epoch,
        generation=state.generation,
        buckets=digest.buckets,
        now=system_clock(),
        database_=database,
    ).records
    if not records:
        raise ConflictError(
            f"the projection of {state.tenant!r} moved while it was verified",
            remedy="Verify again.",
            tenant=state.tenant,
        )


def forget(driver: Driver, database: str, tenant: str) -> None:
    """What is verified next is verified in full."""
    driver.execute_query(statement("forget_proof"), tenant=tenant, database_=database)
