"""What was verified last: a position with its digest by bucket, kept beside the Projection node.

On a node of its own: every read returns the Projection node, and 64 sums are 2 KB. It is recorded
only of the very state that was compared, and it is forgotten where a comparison found differences
or something was written that is not told as a batch.
"""

from __future__ import annotations

from dataclasses import dataclass

from neo4j import Driver

from graph.digest import FORM, Digest
from graph.state import State
from graph.statements import statement
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.stamping import system_clock


@dataclass(frozen=True, slots=True)
class Proof:
    """A state that was found equal to the lake."""

    position: int
    epoch: int
    generation: int
    digest: Digest


def read(driver: Driver, database: str, tenant: str) -> Proof | None:
    """The tenant's newest proof; None where there is none that can be read and sums up."""
    records = driver.execute_query(
        statement("projection_proof"), tenant=tenant, database_=database
    ).records
    node = records[0]["proof"] if records else {}
    try:
        digest = Digest.of(node.get("buckets") or ())
    except (ValueError, TypeError, IntegrityError):  # Of another version, or no digest any more.
        return None
    found = [node.get(name) for name in ("position", "epoch", "generation")]
    numbers = [one for one in found if type(one) is int]
    if node.get("form") != FORM or digest.whole != node.get("digest") or len(numbers) < len(found):
        return None
    position, epoch, generation = numbers
    return Proof(position, epoch, generation, digest)


def record(driver: Driver, database: str, state: State, digest: Digest) -> None:
    """That state was found equal to the lake; ConflictError where it moved meanwhile."""
    records = driver.execute_query(
        statement("record_proof"),
        tenant=state.tenant,
        position=state.position,
        epoch=state.epoch,
        generation=state.generation,
        buckets=digest.buckets,
        digest=digest.whole,
        form=FORM,
        now=system_clock(),
        database_=database,
    ).records
    if not records:
        raise ConflictError(
            f"the projection of {state.tenant!r} moved while it was verified",
            remedy="Verify again.",
            tenant=state.tenant,
        )


def found_different(driver: Driver, database: str, tenant: str) -> None:
    """As `forget`, and answers say until the next proof that the graph was found to differ."""
    text = statement("found_different")
    driver.execute_query(text, tenant=tenant, now=system_clock(), database_=database)


def forget(driver: Driver, database: str, tenant: str) -> None:
    """What is verified next is verified in full."""
    driver.execute_query(statement("forget_proof"), tenant=tenant, database_=database)
