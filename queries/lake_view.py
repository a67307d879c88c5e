"""A view asks the lake at one basis: the verbs of `View`, without the graph.

What is believed at a pair of instants is painted from `statements` by SQL (`lakehouse.asof`) and
reads no belief; what spans instants is told from the lake's own rectangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from lakehouse.asof.asof import MOST_CLEARANCE, AsOf, At, Question, Top, links
from lakehouse.asof.rectangles import Rectangle, covering
from lakehouse.ledger import Ledger
from lakehouse.model.beliefs import ERASED, identity, key_of
from lakehouse.model.episodes import Episode
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import FOREVER, show
from queries.answers import Answer, Believed, Evidence, Path, told_cause
from queries.basis import Instant
from queries.differences import Differences, at_pair, different, other_pair
from queries.lake_basis import LakeBasis
from queries.lake_rectangles import Rectangles
from queries.limits import recorded_period, told_whole
from queries.statements import steps_checked
from queries.streaming import States


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
        self._rectangles = Rectangles(ledger, basis, attested_to)

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
        return self._answer(question, (), map(_path, chains))

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
        return self._answer(
            {"verb": "paths", "start": start, "hops": hops}, (), map(_path, best.values())
        )

    def key(self, entity: str, predicate: str, value: str | None = None) -> Answer:
        """What is believed of one key; `value` as in `View.key`."""
        question = {"verb": "key", "entity": entity, "predicate": predicate, "value": value}
        parts = (entity, predicate) if value is None else (entity, predicate, value)
        key = key_of(self.basis.tenant, *parts)
        told = self._told(self._tops([(entity, predicate)]))
        return self._answer(question, [belief for belief in told if belief.key == key])

    def paths_between(self, start: str, end: str, hops: int) -> Answer:
        """Every shortest chain of 1 to `hops` believed steps, whichever way each points."""
        question = {"verb": "paths_between", "start": start, "end": end, "hops": hops}
        chains: list[tuple[str, tuple[Believed, ...]]] = [(start, ())]
        met = {start}
        for _ in range(steps_checked(hops) if start != end else 0):
            steps = self._touching(sorted({here for here, _ in chains}))
            chains = [
                (there, (*chain, step))
                for here, chain in chains
                for step in steps
                for there in _beyond(step, here)
                if there not in met
            ]
            met |= {there for there, _ in chains}
            if end in met:
                break
        paths = [Path(start, end, chain) for here, chain in chains if chain and here == end]
        return self._answer(question, (), told_whole(paths, "paths"))

    def history(self, entity: str, predicate: str) -> Answer:
        """Every rectangle of one predicate known by `known_at`, at whatever `valid_at`."""
        question = {"verb": "history", "entity": entity, "predicate": predicate}
        return Answer(question, self.basis, self._rectangles.history(entity, predicate))

    def episode(self, episode: str) -> Answer:
        """Every rectangle that an episode is the origin of, or confirmed, known by `known_at`."""
        told = self._rectangles.episode(episode)
        return Answer({"verb": "episode", "episode": episode}, self.basis, told)

    def recorded(self, since: Instant, until: Instant) -> Answer:
        """Every rectangle that was opened or closed in the recorded period [since, until)."""
        start, end = recorded_period(since, until)
        question = {"verb": "recorded", "since": show(start), "until": show(end)}
        told = self._rectangles.recorded(start, end)
        return Answer(question, self.basis, told_whole(told, "beliefs"))

    def diff(
        self,
        entity: str,
        predicate: str | None = None,
        *,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Differences:
        """What became different about an entity since another pair of instants (`View.diff`)."""
        valid, known = other_pair(self.basis, valid_at, known_at)
        before = at_pair(self.basis, valid, known, self._attested_to)
        then = LakeView(self._asof, self._ledger, before, self._attested_to)
        told = (view.beliefs(entity, predicate).beliefs for view in (then, self))
        question = {"verb": "diff", "entity": entity, "predicate": predicate}
        return Differences(question, before, self.basis, different(*told))

    def state(self) -> Iterator[States]:
        """All that is believed at the basis, in pages of columns."""
        return self._rectangles.states()

    def support(self, *beliefs: Believed) -> dict[str, tuple[Evidence, ...]]:
        """Who says so, by belief id, of beliefs that this view told: the origin first."""
        return {belief.belief_id: self._supports[belief.belief_id] for belief in beliefs}

    def _touching(self, entities: Sequence[str]) -> list[Believed]:
        """The believed edges between entities that leave or reach one of these."""
        leaving = self._asof.tops_of([(entity, self._at) for entity in entities])
        reaching = self._tops(self._asof.keys_holding(entities, links=True))
        found = self._told([top for top in (*leaving, *reaching) if links(top)])
        return list({belief.belief_id: belief for belief in found}.values())

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
        chains: Iterable[Path] = (),
    ) -> Answer:
        paths = list(chains)
        paths.sort(key=lambda p: (p.length, p.start, p.end, [step.order for step in p.steps]))
        every = {step.belief_id: step for path in paths for step in path.steps}
        every |= {belief.belief_id: belief for belief in told}
        beliefs = tuple(sorted(every.values(), key=lambda belief: belief.order))
        return Answer(question, self.basis, beliefs, tuple(paths))


def _path(chain: tuple[Believed, ...]) -> Path:
    return Path(chain[0].subject, chain[-1].object, chain)


def _beyond(step: Believed, here: str) -> Iterator[str]:
    """The other end of a step that leaves or reaches an entity."""
    if step.subject == here:
        yield step.object
    elif step.object == here:
        yield step.subject


def _ids(path: Sequence[Believed]) -> list[str]:
    return [step.belief_id for step in path]
