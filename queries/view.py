"""A view asks the graph at one basis: the verbs, one method each.

It is pinned when it is made: later publications do not move it. Every answer carries the basis
with the epoch and generation that it was read from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, LiteralString

from neo4j import Session

from graph.rows import node_id
from lakehouse.model.beliefs import identity, key_of
from lakehouse.model.errors import InputError
from lakehouse.model.instants import show
from lakehouse.model.statements import CLASSIFICATION
from queries import names, rows
from queries.answers import Answer, Believed, Evidence
from queries.basis import Basis, Instant, State, reaching
from queries.differences import Differences, at_pair, different, other_pair
from queries.keyed import read_key
from queries.limits import MOST_TOLD, recorded_period, told_whole
from queries.raw import RawAnswer, read_raw
from queries.reading import Found, Reader
from queries.statements import asked_by, stepping, steps_checked, verb
from queries.streaming import States, columns, stream


class View:
    """One basis. Made by `Memory.view`; holds no connection of its own."""

    def __init__(self, reader: Reader, basis: Basis, *, pinned: bool) -> None:
        self._reader = reader
        self.basis: Final = basis
        """What every answer of this view is asked at."""
        self.pinned: Final = pinned
        """True when the question named its `known_at`."""

    def beliefs(self, entity: str, predicate: str | None = None) -> Answer:
        """What is believed about one entity, of one predicate or of all."""
        about = {
            "entity": self._node(entity),
            "predicate": names.text_or_none("predicate", predicate),
        }
        found, basis = self._read(verb("beliefs"), **about)
        question = {"verb": "beliefs", "entity": entity, "predicate": predicate}
        return Answer(question, basis, rows.beliefs(found.rows, basis))

    def entity(self, entity: str) -> Answer:
        """All that is believed about an entity, and every belief that names it."""
        found, basis = self._read(verb("entity"), entity=self._node(entity))
        question = {"verb": "entity", "entity": entity}
        return Answer(question, basis, rows.beliefs(found.rows, basis))

    def neighbours(self, entity: str, hops: int = 1) -> Answer:
        """The believed edges between entities within 1 to 3 steps, whichever way they point."""
        steps_checked(hops)
        steps = stepping("neighbours", "{1,2}", f"{{1,{max(1, hops - 1)}}}")
        found, basis = self._read(steps, entity=self._node(entity), hops=hops)
        question = {"verb": "neighbours", "entity": entity, "hops": hops}
        return Answer(question, basis, rows.stepped(found.rows, basis))

    def paths(self, start: str, hops: int) -> Answer:
        """Everything reached from an entity in 1 to `hops` believed steps, with the fewest.

        Of equally short paths to the same end one is told, the one whose belief ids come first.
        """
        steps = stepping("paths", "{1,3}", f"{{1,{steps_checked(hops)}}}")
        found, basis = self._read(steps, entity=self._node(start))
        question = {"verb": "paths", "start": start, "hops": hops}
        return Answer(question, basis, *rows.chains(found.rows, basis))

    def holders(self, predicate: str, value: str, via: str | Sequence[str] | None = None) -> Answer:
        """Who has a value, an entity's id or a literal's text.

        `via` puts one or two predicates before it: who has one of these whose `predicate` is
        `value`. All steps hold at the same pair of instants.
        """
        before = list(via) if isinstance(via, list | tuple) else [] if via is None else [via]
        for one in before:
            names.text("predicate", one)
        question = {"verb": "holders", "predicate": predicate, "value": value, "via": before}
        ends = {
            "predicate": names.text("predicate", predicate),
            "value": identity(self.basis.tenant, predicate, names.text("value", value)),
            "entity": self._node(value),
        }
        if not before:
            found, basis = self._read(verb("holders"), **ends)
            return Answer(question, basis, rows.beliefs(found.rows, basis))
        steps = stepping("holders_via", "{2}", f"{{{steps_checked(len(before), 2)}}}")
        found, basis = self._read(steps, via=before, **ends)
        return Answer(question, basis, *rows.chains(found.rows, basis))

    def history(self, entity: str, predicate: str) -> Answer:
        """Every rectangle of one predicate known by `known_at`, at whatever `valid_at`.

        What closed one of them later is absent: it reads as open.
        """
        about = {"entity": self._node(entity), "predicate": names.text("predicate", predicate)}
        found, basis = self._read(verb("history"), **about)
        question = {"verb": "history", "entity": entity, "predicate": predicate}
        return Answer(question, basis, rows.history(found.rows, basis))

    def key(self, entity: str, predicate: str, value: str | None = None) -> Answer:
        """What is believed of one key, by its index and not from its entity.

        `value` belongs to the keys of predicates that hold many values, one key a value.
        """
        parts = [names.text("id", entity), names.text("predicate", predicate)]
        parts += [] if value is None else [names.text("value", value)]
        found = read_key(self._reader, key_of(self.basis.tenant, *parts), self.basis)
        basis = self._at(found.state)
        question = {"verb": "key", "entity": entity, "predicate": predicate, "value": value}
        return Answer(question, basis, rows.beliefs(found.rows, basis))

    def paths_between(self, start: str, end: str, hops: int) -> Answer:
        """Every shortest chain of 1 to `hops` believed steps between two entities.

        Whichever way each step points. InputError where there are more than `MOST_TOLD`.
        """
        steps = stepping("paths_between", "{1,3}", f"{{1,{steps_checked(hops)}}}")
        ends = {"entity": self._node(start), "end": self._node(end), "most": MOST_TOLD}
        found, basis = self._read(steps, **ends)
        question = {"verb": "paths_between", "start": start, "end": end, "hops": hops}
        told, paths = rows.between(start, end, found.rows, basis)
        return Answer(question, basis, told, told_whole(paths, "paths"))

    def episode(self, episode: str) -> Answer:
        """Every rectangle that an episode is the origin of, or confirmed, known by `known_at`.

        At whatever `valid_at`; the evidence says which of them are its own.
        """
        node = self._node(episode)
        found, basis = self._read(verb("episode"), episode=episode, node=node)
        question = {"verb": "episode", "episode": episode}
        return Answer(question, basis, rows.history(found.rows, basis))

    def recorded(self, since: Instant, until: Instant) -> Answer:
        """Every rectangle that was opened or closed in the recorded period [since, until).

        At whatever `valid_at`, and nothing after `known_at`. InputError where there are more than
        `MOST_TOLD`.
        """
        start, end = recorded_period(since, until)
        given = {"since": start, "until": end, "most": MOST_TOLD}
        found, basis = self._read(verb("recorded"), **given)
        question = {"verb": "recorded", "since": show(start), "until": show(end)}
        told = rows.history(found.rows, basis)
        return Answer(question, basis, told_whole(told, "beliefs"))

    def diff(
        self,
        entity: str,
        predicate: str | None = None,
        *,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
    ) -> Differences:
        """What became different about an entity since another pair of instants, read together.

        The other pair's instants are this view's own where they are not given.
        """
        valid, known = other_pair(self.basis, valid_at, known_at)
        now: dict[str, int] = {"number": 1, **self.basis.rule}
        questions = [now | {"number": 0, "valid_at": valid, "known_at": known}, now]
        about = {
            "entity": self._node(entity),
            "predicate": names.text_or_none("predicate", predicate),
        }
        found, after = self._read(asked_by("diff", "q"), **about, questions=questions)
        before = at_pair(after, valid, known, found.state.attested_to)
        told = dict(found.rows)
        return Differences(
            {"verb": "diff", "entity": entity, "predicate": predicate},
            before,
            after,
            different(rows.beliefs(told[0], before), rows.beliefs(told[1], after)),
        )

    def columns(self, entity: str, predicate: str | None = None) -> States:
        """What `beliefs` tells, as columns in no stated order: for entities of very many edges."""
        about = {
            "entity": self._node(entity),
            "predicate": names.text_or_none("predicate", predicate),
        }
        found, _ = self._read(verb("columns"), **about)
        return columns(found.rows)

    def state(self) -> Iterator[States]:
        """All that is believed at the basis, in pages of columns; see `queries.streaming`."""
        return stream(self._reader, self.basis)

    def support(self, *beliefs: Believed) -> dict[str, tuple[Evidence, ...]]:
        """Who says so, by belief id: the origin first, then the live confirmations.

        A belief whose every support was erased has none.
        """
        asked = [belief.belief_id for belief in beliefs if not belief.erased]
        support: dict[str, tuple[Evidence, ...]] = {
            belief.belief_id: () if belief.erased else (belief.evidence,) for belief in beliefs
        }
        if asked:
            found, _ = self._read(verb("support"), beliefs=asked)
            for row in sorted(found.rows, key=lambda row: (row[11], row[1])):
                support[row[0]] = (*support[row[0]], rows.confirmation(row))
        return support

    def cypher(self, text: str, parameters: Mapping[str, object] | None = None) -> RawAnswer:
        """Raw Cypher in a read transaction, with the basis bound as parameters.

        It reads the database as it is, past the rule, so it is refused (InputError) to a view
        that is pinned to a `known_at`, since later closings would show, and to a clearance
        below `restricted`. It is the operator's tool; no surface that serves others offers it.
        `$tenant`, `$valid_at`, `$known_at`, `$listener` and `$clearance` are bound.
        """
        self._check_raw()
        bound = {**(parameters or {}), "tenant": self.basis.tenant, **self.basis.rule}

        def once(session: Session) -> RawAnswer:
            state, columns, found = read_raw(session, self.basis.tenant, text, bound)
            return RawAnswer(text, self._at(state), columns, found)

        return self._reader.repeated(once)

    def _check_raw(self) -> None:
        if self.pinned:
            raise InputError(
                "raw Cypher is refused to a view that is pinned to a known_at: what was closed "
                "later would show",
                remedy="Ask the shipped verbs, or make the view without known_at.",
            )
        if self.basis.clearance < CLASSIFICATION["restricted"]:
            raise InputError(
                "raw Cypher sees every classification and is refused below clearance restricted",
                remedy="Ask the shipped verbs.",
            )

    def _node(self, entity: str) -> str:
        return node_id(self.basis.tenant, names.text("id", entity))

    def _read(self, text: LiteralString, **parameters: Any) -> tuple[Found, Basis]:
        found = self._reader.read(self.basis.tenant, text, {**self.basis.rule, **parameters})
        return found, self._at(found.state)

    def _at(self, state: State) -> Basis:
        """This view's basis on the state that a read saw."""
        return replace(
            self.basis,
            position=state.position,
            watermark=reaching(self.basis, state),
            epoch=state.epoch,
            generation=state.generation,
            graph_digest=state.digest,
            snapshots=state.snapshots,
            differs_since=state.differs_since,
        )
