"""What the Projection node says of itself, held against the ledger.

Readers believe it: up to where they may read, whose clock it is, that nothing is being changed. So
what is false of it is a difference like that of an edge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph.comparison import Difference, Kind
from graph.facts import Facts, believed_at, facts_of
from graph.state import State
from lakehouse.ledger import Ledger
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import show
from lakehouse.model.ledger import Clock, Commit


def misstated(ledger: Ledger, state: State) -> tuple[Difference, ...]:
    """All that is false of a Projection node on which nobody works."""
    return tuple(_difference(state.tenant, wrong) for wrong in _wrong(ledger, state))


def unstated(ledger: Ledger, tenant: str, *, holds: bool) -> tuple[Difference, ...]:
    """A Projection node that is not there, though something was published or is in the graph."""
    if not holds and not ledger.publications(tenant):
        return ()
    return (Difference(Kind.MISSING, "", f"(:Projection {tenant})"),)


def sound_watermark(ledger: Ledger, state: State, facts: Facts) -> int | None:
    """The state's watermark; where none can lie so high, the one that was published last."""
    latest = _latest(ledger.commits(state.tenant), facts)
    if state.watermark is None or state.watermark <= latest:
        return state.watermark
    told = [one.watermark for one in ledger.publications(state.tenant)]
    return told[-1] if told and told[-1] <= latest else None


def require_same_lake(commits: Sequence[Commit], state: State) -> None:
    """IntegrityError where another ledger's commit stands at the projected position."""
    if not state.position:
        return
    commit = believed_at(commits, state.tenant, state.position)
    if state.batch and state.batch != commit.batch_id:
        raise IntegrityError(
            f"the graph of {state.tenant!r} stands at position {state.position} of another lake: "
            "this one has another batch there",
            remedy="`beliefgraph doctor` says whether a setting names another lake. If this one is "
            f"right, rebuild the graph: beliefgraph run {state.tenant} --rebuild.",
            tenant=state.tenant,
            position=state.position,
        )


def _wrong(ledger: Ledger, state: State) -> Iterator[str]:
    yield from state.odd
    if state.below:
        yield "readers are refused, and nobody is at work"
    if not state.position:
        return
    commits = ledger.commits(state.tenant)
    facts = facts_of(commits, believed_at(commits, state.tenant, state.position))
    told = {
        "batch": (state.batch or facts["batch"], facts["batch"]),
        "ledger_to": (state.ledger_to, facts["ledger_to"]),
        "attested_to": (state.attested_to, facts["attested_to"]),
        "clock": (state.clock, facts["clock"]),
    }
    for name, (said, so) in told.items():
        if said != so:
            yield f"{name} is {said!r}, the lake says {so!r}"
    latest = _latest(commits, facts)
    if state.watermark is not None and state.watermark > latest:
        yield f"watermark is {show(state.watermark)}, the lake knows nothing after {show(latest)}"


def _latest(commits: Sequence[Commit], facts: Facts) -> int:
    """No watermark of a projection lies above this recorded instant (`publish`)."""
    if facts["clock"] == Clock.ATTESTED:
        return facts["ledger_to"]
    return max(commit.recorded_at for commit in commits)


def _difference(tenant: str, wrong: str) -> Difference:
    return Difference(Kind.ALTERED, "", f"(:Projection {tenant}): {wrong}")
