"""The watermark moves, last of all, and only over a graph that was shown equal to the lake.

First in the graph, then as a row of `publications`: a run that is stopped in between leaves a
watermark without its row, and the next run adds it. An import-only tenant is readable up to the
last instant that its sources attest; a live one up to its newest extract commit or, when nothing
is waiting, to the instant at which the run began, but never beyond the tenant's newest commit: only
what is stamped later than a commit is sure to lie above it, however slow a writer is.
"""

from __future__ import annotations

from collections.abc import Sequence

from neo4j import Driver

from graph import state as states
from graph.facts import believed_at, clock_of, consumed, of_stage
from graph.state import State
from graph.verify import Verified
from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.model.ledger import Clock, Commit, Publication, Stage
from lakehouse.stamping import system_clock


def publish(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    *,
    began_at: int,
    verified: Verified,
) -> Publication | None:
    """Make the verified state readable; the newest publication, None if nothing is projected.

    `began_at` is the instant at which the run began, before it looked at the ledger. Nothing is
    written when neither watermark nor digest, position or epoch changed.
    """
    state = open_to_readers(ledger, driver, database, tenant, began_at=began_at, verified=verified)
    return None if state is None else record(ledger, state)


def open_to_readers(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    *,
    began_at: int,
    verified: Verified,
) -> State | None:
    """The first half, in the graph: the state as it may be read now, None if there is none."""
    state, commits = None, ledger.commits(tenant)
    believed = {commit.position for commit in of_stage(commits, Stage.BELIEVE)}
    if verified.equal and verified.tenant == tenant and verified.position in believed:
        state = states.set_watermark(
            driver,
            database,
            tenant,
            position=verified.position,
            epoch=verified.epoch,
            generation=verified.generation,
            reach=_reach(commits, verified, began_at),
            digest=verified.digest,
            snapshots=_snapshots(commits, verified.position),
        )
    if state is None:
        held = states.read(driver, database, tenant)
        if held is not None and held.position:
            raise _refusal(tenant, verified)
    return state


def record(ledger: Ledger, state: State) -> Publication:
    """The second half, in the lake: what the graph says may be read is a publication."""
    told = ledger.publications(state.tenant)
    newest = told[-1] if told else None
    if newest is not None and _says(newest, state):
        return newest
    assert state.watermark is not None
    publication = Publication(
        tenant=state.tenant,
        position=state.position,
        watermark=state.watermark,
        published_at=system_clock(),
        digest=state.digest,
        epoch=state.epoch,
    )
    ledger.publish(publication)
    return publication


def _reach(commits: Sequence[Commit], verified: Verified, began_at: int) -> int:
    """The recorded instant up to which the projected position tells everything."""
    through = believed_at(commits, verified.tenant, verified.position).through
    heard = consumed(commits, through)
    newest = heard[-1] if heard else None
    if newest is not None and clock_of(heard) is Clock.ATTESTED:
        return newest.ledger_to
    reached = newest.recorded_at if newest is not None else 0
    if any(commit.position > through for commit in of_stage(commits, Stage.EXTRACT)):
        return reached
    stamped = max(commit.recorded_at for commit in commits)
    return max(reached, min(began_at, stamped))


def _snapshots(commits: Sequence[Commit], position: int) -> dict[str, int]:
    """The snapshot by table that the tenant's commits named last, up to the projected position."""
    named = [commit.snapshots for commit in commits if commit.position <= position]
    return {table: one for snapshots in named for table, one in snapshots.items()}


def _refusal(tenant: str, verified: Verified) -> ConflictError | IntegrityError:
    """Why what the graph holds is not published."""
    if verified.equal:
        return ConflictError(
            f"the projection of {tenant!r} has moved since it was verified",
            remedy="Verify again, then publish.",
            tenant=tenant,
        )
    first = verified.differences[0] if verified.differences else None
    return IntegrityError(
        f"the graph of {tenant!r} differs from its ledger in "
        f"{len(verified.differences)} places" + (f", {first.where} first" if first else ""),
        remedy=f"Mend it: beliefgraph verify {tenant} --repair; the watermark stays.",
        tenant=tenant,
    )


def _says(publication: Publication, state: State) -> bool:
    return (
        publication.position, publication.watermark, publication.digest, publication.epoch,
    ) == (state.position, state.watermark, state.digest, state.epoch)  # fmt: skip
