"""What the ledger says of a projected position: what it has heard, up to where, by whose clock.

Told from one list of the tenant's commits, oldest first: each look at a lake asks its catalog.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Clock, Commit, Stage


class Facts(TypedDict):
    """What a projection at a position says of it (`states.advancing`)."""

    to: int
    batch: str
    ledger_to: int
    attested_to: int | None
    clock: str


def facts_of(commits: Sequence[Commit], newest: Commit) -> Facts:
    """Of the projection at that believe commit."""
    heard = consumed(commits, newest.through)
    return {
        "to": newest.position,
        "batch": newest.batch_id,
        "ledger_to": heard[-1].ledger_to if heard else 0,
        "attested_to": attested_through(heard),
        "clock": clock_of(heard).value,
    }


def of_stage(commits: Sequence[Commit], stage: Stage) -> list[Commit]:
    """Those of one stage."""
    return [commit for commit in commits if commit.stage is stage]


def consumed(commits: Sequence[Commit], through: int) -> list[Commit]:
    """The extract commits that a believe commit with that `through` has taken in."""
    return [one for one in of_stage(commits, Stage.EXTRACT) if one.position <= through]


def attested_through(heard: Sequence[Commit]) -> int | None:
    """The recorded instant up to which the sources vouch for the clock, None without imports."""
    imported = [commit for commit in heard if commit.clock is Clock.ATTESTED]
    return imported[-1].ledger_to if imported else None


def clock_of(heard: Sequence[Commit]) -> Clock:
    """ATTESTED while all that the tenant knows was imported."""
    clocks = {commit.clock for commit in heard}
    return Clock.ATTESTED if clocks == {Clock.ATTESTED} else Clock.SYSTEM


def believed_at(commits: Sequence[Commit], tenant: str, position: int) -> Commit:
    """The believe commit at that position; IntegrityError where the ledger knows none."""
    for commit in of_stage(commits, Stage.BELIEVE):
        if commit.position == position:
            return commit
    raise IntegrityError(
        f"the graph of {tenant!r} stands at position {position}, which its ledger does not know: "
        "it was projected from another lake",
        remedy="`beliefgraph doctor` says whether a setting names another lake. If this one is "
        f"right, rebuild the graph: beliefgraph run {tenant} --rebuild.",
        tenant=tenant,
        position=position,
    )
