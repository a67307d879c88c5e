"""A view asks the lake at one basis: the verbs of `View` that a point in time needs.

Every answer is painted from `statements` by SQL (`lakehouse.asof`); neither beliefs nor graph are
read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from lakehouse.asof.asof import MOST_CLEARANCE, AsOf, At, Question, Top, links
from lakehouse.asof.rectangles import Rectangle, covering
from lakehouse.ledger import Ledger
from lakehouse.model.beliefs import ERASED, identity, key_of
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import InputError, IntegrityError
from lakehouse.model.instants import FOREVER
from queries.answers import Answer, Believed, Evidence, Path, told_cause
from queries.basis import Basis
from queries.statements import steps_checked

ENGINE: Final = "lake"


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeBasis(Basis):
    """A basis answered by the lake: `snapshots` are those that were read.

    `proof` says how the snapshots that another basis named bear on this answer, if any did.
    """

    proof: tuple[str, ...] = ()

    def notes(self) -> tuple[str, ...]:
        """What must be said in words beside an answer on this basis."""
        return (*Basis.notes(self), "answered by the lake without the graph", *self.proof)

    def as_record(self) -> dict[str, object]:
        """For JSON, with `engine`."""
        return {**Basis.as_record(self), "engine": ENGINE}


class LakeView:
    """One basis over the lake, with the verbs of `View` that a point in time needs."""

    def __init__(self, asof: AsOf, ledger: Ledger, basis: LakeBasis, attested_to: int) -> None:
        """`attested_to` is the recorded instant up to which the clock is the sources' (µs UTC)."""
        self.basis: Final = basis
        self._asof = asof
        self._ledger = ledger
        self._attested_to = attested_to
        self._at = At(basis.valid_at, basis.known_at, basis.listener)
        self._supports: dict[str, tuple[Evidence, ...]] = {}

    def beliefs(self, entity: str, predicate: str | None = None) -> Answer:
        """What is believed about one entity, of one predicate or of all."""
        question = {"verb": "beliefs", "entity": entity, "predicate": predicate}
        if predicate is None:
            tops = self._asof.tops_of([(entity, self._at)])
        else:
            tops = self._tops([(entity, predicate)])
        return self._answer(question, self._told(tops))

    def entity(self, entity: str) -> Answer:
        """All that is believed about an entity, and every belief that names it."""
        keys = self._asof.keys_holding([entity], links=True)
        naming = [top for top in self._tops(keys) if links(top) and top["object"] == entity]
        own = list(self._asof.tops_of([(entity, self._at)]))
        others = [top for top in naming if top["subject"] != entity]
        return self._answer({"verb": "entity", "entity": entity}, self._told(own + others))

    def holders(self, predicate: str, value: str, via: str | Sequence[str] | None = None) -> Answer:
        """Who has a value, an entity's id or a literal's text; `via` as in `View.holders`."""
        before = [via] if isinstance(via, str) else list(via or ())
        question = {"verb": "holders", "predicate": predicate, "value": value, "via": before}
        held = self._holding(predicate, [value])
        if not before:
            return self._answer(question, held)
        steps_checked(len(before), 2)
        chains: list[tuple[Believed, ...]] = [(belief,) for belief in held]
        for name in reversed(before):
            steps = self._holding(
                name, sorted({chain[0].subject for chain in chains}), entities=True
            )
            chains = [
                (step, *chain)
                for chain in chains
                for step in steps
                if step.object == chain[0].subject and step not in chain[:-1]
            ]
        return self._answer(question, (), chains)

    def paths(self, start: str, hops: int) -> Answer:
        """Everything reached from an entity in 1 to `hops` believed steps, with the fewest.

        Of equally short paths to the same end one is told, the one whose belief ids come first.
        """
        best: dict[str, tuple[Believed, ...]] = {start: ()}
        edge = [start]
        for _ in range(steps_checked(hops)):
            tops = self._asof.tops_of([(entity, self._at) for entity in edge])
            ahead: dict[str, tuple[Believed, ...]] = {}
            for step in self._told([t for t in tops if links(t) and t["object"] not in best]):
                path = (*best[step.subject], step)
                known = ahead.get(step.object)
                if known is None or _ids(path) < _ids(known):
                    ahead[step.object] = path
            best.update(ahead)
            edge = sorted(ahead)
        del best[start]
        return self._answer({"verb": "paths", "start": start, "hops": hops}, (), best.values())

    def history(self, entity: str, predicate: str) -> NoReturn:
        """Refused (InputError): the lake's engine paints one pair of instants at a time."""
        raise InputError(
            f"the history of {entity} {predicate} is not told by engine {ENGINE}",
            remedy="Ask it of the graph: leave out --engine.",
        )

    def support(self, *beliefs: Believed) -> dict[str, tuple[Evidence, ...]]:
        """Who says so, by belief id, of beliefs that this view told: the origin first."""
        return {belief.belief_id: self._supports[belief.belief_id] for belief in beliefs}

    def _holding(
        self, predicate: str, values: Sequence[str], *, entities: bool = False
    ) -> list[Believed]:
        keys = self._asof.keys_holding(values, predicate, links=entities)
        return self._told(
            [
                top
                for top in self._tops(keys)
                if top["object"] in values and (links(top) or not (entities or top["erased"]))
            ]
        )

    def _tops(self, keys: Iterable[tuple[str, str]]) -> list[Top]:
        at = self._at
        return self._asof.tops([Question(*k, at.valid_at, at.known_at, at.listener) for k in keys])

    def _told(self, tops: Sequence[Top]) -> list[Believed]:
        """What is on top as beliefs, with their rectangles; what is above the clearance is not."""
        basis = self.basis
        keys = sorted({(top["subject"], top["predicate"]) for top in tops})
        later = None if basis.clearance < MOST_CLEARANCE else basis.known_at
        cut = dict(zip(keys, self._asof.rectangles(keys, later), strict=True))
        seen = []
        for top in tops:
            found = cut[top["subject"], top["predicate"]]
            where = (top["slot"], basis.valid_at, basis.known_at, basis.listener_bit)
            rectangle = covering(found, *where)
            if rectangle.strictest <= basis.clearance:
                seen.append((top, rectangle))
        headers = self._headers([top for top, _ in seen])
        return [self._believed(top, rectangle, headers) for top, rectangle in seen]

    def _headers(self, tops: Iterable[Top]) -> dict[str, Episode]:
        says = [one for top in tops for one in (top["origin"], *top["supporters"])]
        wanted = {one["episode_id"] for one in says}
        found = self._ledger.headers(self.basis.tenant, wanted)
        if missing := sorted(wanted - found.keys()):
            raise IntegrityError(
                f"the lake holds statements of episode {missing[0]!r}, but not the episode",
                remedy="Restore the file of its header, or the table's snapshot.",
            )
        return found

    def _believed(self, top: Top, rectangle: Rectangle, headers: Mapping[str, Episode]) -> Believed:
        tenant, r = self.basis.tenant, rectangle
        key = key_of(
            tenant, r.subject, r.predicate, *([r.slot] if r.predicate in self._asof.many else [])
        )
        content = (r.origin, r.erased, r.trust, r.classification)
        belief = Believed(
            belief_id=identity(key, r.valid_from, r.ends, r.recorded_from, r.mask, *content),
            key=key,
            subject=r.subject,
            predicate=r.predicate,
            object=ERASED if r.erased else r.object,
            object_kind="erased" if r.erased else r.object_kind,
            valid_from=r.valid_from,
            valid_to=r.valid_to,
            recorded_from=r.recorded_from,
            recorded_to=FOREVER,
            valid_from_basis=r.valid_from_basis,
            opened_by=told_cause(r.opened_by, r.origin, self.basis.clearance),
            closed_by=None,
            reason=None,
            evidence=self._evidence(top["origin"], headers),
        )
        said = [self._evidence(one, headers) for one in top["supporters"]]
        further = sorted(said[1:], key=lambda one: (one.recorded_at, one.statement_id))
        self._supports[belief.belief_id] = (*said[:1], *further)
        return belief

    def _evidence(self, one: Top, headers: Mapping[str, Episode]) -> Evidence:
        header = headers[one["episode_id"]]
        return Evidence(
            statement_id=one["statement_id"],
            episode_id=one["episode_id"],
            source=header.source,
            source_record=header.source_key,
            location=header.location,
            landed_at=header.landed_at,
            recorded_at=one["recorded_at"],
            attested=one["recorded_at"] <= self._attested_to,
            trust=one["trust"],
            classification=one["classification"],
            who=header.who,
            tags=header.tags,
        )

    def _answer(
        self,
        question: Mapping[str, object],
        told: Iterable[Believed],
        chains: Iterable[tuple[Believed, ...]] = (),
    ) -> Answer:
        paths = [Path(chain[0].subject, chain[-1].object, chain) for chain in chains]
        paths.sort(key=lambda p: (p.length, p.start, p.end, [step.order for step in p.steps]))
        every = {step.belief_id: step for path in paths for step in path.steps}
        every |= {belief.belief_id: belief for belief in told}
        beliefs = tuple(sorted(every.values(), key=lambda belief: belief.order))
        return Answer(question, self.basis, beliefs, tuple(paths))


def _ids(path: Sequence[Believed]) -> list[str]:
    return [step.belief_id for step in path]
