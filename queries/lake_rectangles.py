"""The lake's rectangles as beliefs: the verbs that ask for more than one pair of instants.

They are read from the tables `beliefs` and `supporters`, of one subject or of the whole tenant.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from graph.rule import masked
from lakehouse.ledger import Ledger
from lakehouse.model.beliefs import Belief, Support, live
from lakehouse.model.episodes import Episode
from queries.answers import Believed, Evidence, told_cause
from queries.basis import Basis
from queries.streaming import PAGE, States


class Rectangles:
    """What a reader may see of one tenant's rectangles, as known at a basis."""

    def __init__(self, ledger: Ledger, basis: Basis, attested_to: int) -> None:
        """`attested_to` is the recorded instant up to which the clock is the sources' (µs UTC)."""
        self._ledger = ledger
        self._basis = basis
        self._attested_to = attested_to

    def history(self, entity: str, predicate: str) -> tuple[Believed, ...]:
        """Of one predicate."""
        return self._told(lambda belief: belief.predicate == predicate, [entity])

    def episode(self, episode: str) -> tuple[Believed, ...]:
        """Those that an episode is the origin of, or confirmed."""
        confirmed = {
            box.belief_id
            for box in self._ledger.supports(self._basis.tenant, through=self._basis.position)
            if box.episode_id == episode and self._known(box, box.classification)
        }
        return self._told(
            lambda belief: belief.episode_id == episode or belief.belief_id in confirmed
        )

    def recorded(self, start: int, end: int) -> tuple[Believed, ...]:
        """Those that were opened or closed in [start, end)."""
        until = min(end, self._basis.known_at + 1)
        return self._told(
            lambda belief: (
                start <= belief.recorded_from < until or start <= belief.recorded_to < until
            )
        )

    def states(self) -> Iterator[States]:
        """What is believed at the basis, in the order of the subjects."""
        basis = self._basis
        found = [
            belief
            for belief in self._ledger.beliefs(basis.tenant, through=basis.position)
            if live(belief, basis.valid_at, basis.known_at, basis.listener_bit)
            and belief.strictest <= basis.clearance
        ]
        found.sort(key=lambda belief: belief.subject)
        for start in range(0, len(found), PAGE):
            page = found[start : start + PAGE]
            yield States(
                [b.subject for b in page],
                [b.predicate for b in page],
                [b.value for b in page],
                [_kind(b) for b in page],
                [b.valid_from for b in page],
                [b.valid_to for b in page],
                [b.recorded_from for b in page],
                [b.trust for b in page],
                [b.origin for b in page],
                [b.episode_id for b in page],
            )

    def _told(
        self, wanted: Callable[[Belief], bool], subjects: Collection[str] | None = None
    ) -> tuple[Believed, ...]:
        tenant, through = self._basis.tenant, self._basis.position
        found = [
            belief
            for belief in self._ledger.beliefs(tenant, subjects=subjects, through=through)
            if self._known(belief, belief.strictest) and wanted(belief)
        ]
        headers = self._ledger.headers(tenant, {belief.episode_id for belief in found})
        told = (self._believed(belief, headers[belief.episode_id]) for belief in found)
        return tuple(sorted(told, key=lambda b: (b.recorded_from, b.valid_from, b.belief_id)))

    def _known(self, box: Belief | Support, classification: int) -> bool:
        basis = self._basis
        return (
            box.recorded_from <= basis.known_at
            and bool(box.listeners & basis.listener_bit)
            and classification <= basis.clearance
        )

    def _believed(self, belief: Belief, header: Episode) -> Believed:
        basis, told = self._basis, belief.object is not None
        reason = None if belief.reason is None else belief.reason.value
        recorded_to, closed_by, reason = masked(
            belief.recorded_to, belief.closed_by, reason, basis.known_at
        )
        evidence = Evidence(
            statement_id=belief.origin,
            episode_id=belief.episode_id,
            source=header.source,
            source_record=header.source_key,
            location=header.location if told else "",
            landed_at=header.landed_at,
            recorded_at=belief.heard_at,
            attested=belief.heard_at <= self._attested_to,
            trust=belief.trust,
            classification=belief.classification,
            who=header.who if told else None,
            tags=header.tags if told else (),
        )
        return Believed(
            belief_id=belief.belief_id,
            key=belief.key,
            subject=belief.subject,
            predicate=belief.predicate,
            object=belief.value,
            object_kind=_kind(belief),
            valid_from=belief.valid_from,
            valid_to=belief.valid_to,
            recorded_from=belief.recorded_from,
            recorded_to=recorded_to,
            valid_from_basis=belief.valid_from_basis,
            opened_by=told_cause(belief.opened_by, belief.origin, basis.clearance),
            closed_by=told_cause(closed_by, belief.origin, basis.clearance),
            reason=reason,
            evidence=evidence,
        )


def _kind(belief: Belief) -> str:
    return "erased" if belief.object is None else belief.object_kind
