"""Several ways to the same answer behind one protocol, for tests that compare them.

    replay  the reference: statement after statement, anew for every question (tests.reference)
    fold    rectangles of `lakehouse.model.fold`, read by `beliefs.live`
    lake    SQL that paints over the statements (`lakehouse.asof`; tests.lake_engine)
    graph   rectangles in a real Neo4j, written by `graph.writer`, read by `queries`
            (tests.graph_engine)
    line    as graph, but through ledger, believe, project, verify and publish, in three batches

All are loaded with many histories at once and asked thousands of questions at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

from lakehouse.model import beliefs as rule
from lakehouse.model import fold as folding
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.instants import FOREVER
from lakehouse.model.listeners import Listener
from lakehouse.model.statements import ENTITY, PAINTING, Statement
from tests import reference
from tests.histories import MOST_CLEARANCE, Answer, Asked, History, Reached, Rectangle, Told


class Engine(Protocol):
    """Answers questions about the histories it was loaded with."""

    def load(self, histories: Sequence[History]) -> None:
        """Take up these tenants; each is loaded once."""
        ...

    def ask(self, questions: Sequence[Asked]) -> list[Answer]:
        """The answers in the order of the questions."""
        ...

    def reach(self, questions: Sequence[Reached]) -> list[dict[str, int]]:
        """Each reached entity with its fewest steps, in the order of the questions."""
        ...


class Telling(Engine, Protocol):
    """An engine that keeps rectangles and can tell them as they were seen at a known instant."""

    def told(self, question: Told) -> frozenset[Rectangle]:
        """What was recorded by then, read as one read it then."""
        ...


class ReplayEngine:
    """The reference. What counts at a known instant is replayed once for many questions.

    It knows no clearance: ask it without.
    """

    def __init__(self) -> None:
        self._histories: dict[str, History] = {}
        self._heard: dict[tuple[str, int, str], list[Statement]] = {}
        self._erased: dict[str, set[str | None]] = {}

    def load(self, histories: Sequence[History]) -> None:
        """Keep the ledgers."""
        for history in histories:
            self._histories[history.tenant] = history
            self._erased[history.tenant] = reference.erased(history.statements)

    def ask(self, questions: Sequence[Asked]) -> list[Answer]:
        """Replay each ledger for each question."""
        return [self._answer(question) for question in questions]

    def reach(self, questions: Sequence[Reached]) -> list[dict[str, int]]:
        """Breadth first, every step replayed at the same pair of instants."""
        return [self._reached(question) for question in questions]

    def _answer(self, question: Asked) -> Answer:
        tenant, subject, predicate, valid_at, known_at, listener, clearance = question
        assert clearance == MOST_CLEARANCE
        history = self._histories[tenant]
        at = (tenant, known_at, listener)
        counting = self._heard.get(at)
        if counting is None:
            heard_by = listening(history, listener)
            counting = reference.heard(history.statements, known_at, heard_by)
            self._heard[at] = counting
        cardinality = history.cardinality(predicate)
        gone = self._erased[tenant]
        return reference.painted(counting, gone, cardinality, subject, predicate, valid_at)

    def _reached(self, question: Reached) -> dict[str, int]:
        tenant, start, hops, v, k, listener = question
        links: defaultdict[str, set[str]] = defaultdict(set)
        for s in self._histories[tenant].statements:
            if s.op in PAINTING and s.object_kind == ENTITY:
                links[s.subject].add(s.predicate)

        def onward(entity: str) -> Iterable[str]:
            for predicate in links.get(entity, ()):
                answer = self._answer(Asked(tenant, entity, predicate, v, k, listener))
                yield from (value for value, ids in answer.items() if ids)

        return walked(start, hops, onward)


class FoldEngine:
    """Rectangles and the reading rule in Python."""

    def __init__(self) -> None:
        self._histories: dict[str, History] = {}
        self._beliefs: defaultdict[tuple[str, str], list[Belief]] = defaultdict(list)
        self._supports: defaultdict[tuple[str, str], list[Support]] = defaultdict(list)

    def load(self, histories: Sequence[History]) -> None:
        """Fold each ledger as a whole."""
        for history in histories:
            self._histories[history.tenant] = history
            found = folding.fold(history.statements, history.cardinality, history.listeners)
            for belief in found.beliefs:
                self._beliefs[history.tenant, belief.subject].append(belief)
            for support in found.supports:
                self._supports[history.tenant, support.belief_id].append(support)

    def ask(self, questions: Sequence[Asked]) -> list[Answer]:
        """Read the rectangles at each pair of instants."""
        return [self._answer(question) for question in questions]

    def reach(self, questions: Sequence[Reached]) -> list[dict[str, int]]:
        """Breadth first over the rectangles that are live at the pair of instants."""
        return [self._reached(question) for question in questions]

    def told(self, question: Told) -> frozenset[Rectangle]:
        """Rectangles recorded by then; an end that lies beyond reads as open."""
        bit = self._histories[question.tenant].listeners.bit(question.listener)
        return frozenset(
            Rectangle(
                b.value,
                b.valid_from,
                b.valid_to,
                b.recorded_from,
                b.recorded_to if b.recorded_to <= question.known_at else FOREVER,
            )
            for b in self._beliefs[question.tenant, question.subject]
            if b.predicate == question.predicate
            and b.recorded_from <= question.known_at
            and b.listeners & bit
        )

    def _answer(self, question: Asked) -> Answer:
        tenant, subject, predicate, v, k, listener, clearance = question
        bit = self._histories[tenant].listeners.bit(listener)
        answer: Answer = {}
        for belief in self._beliefs.get((tenant, subject), ()):
            if belief.predicate != predicate or belief.strictest > clearance:
                continue
            if not rule.live(belief, v, k, bit):
                continue
            if belief.object is None:
                answer.setdefault(belief.value, frozenset())
                continue
            boxes = self._supports.get((tenant, belief.belief_id), ())
            further = {box.statement_id for box in boxes if rule.live(box, v, k, bit)}
            known = answer.get(belief.value, frozenset())
            answer[belief.value] = known | further | {belief.origin}
        return answer

    def _reached(self, question: Reached) -> dict[str, int]:
        bit = self._histories[question.tenant].listeners.bit(question.listener)

        def onward(entity: str) -> Iterable[str]:
            for belief in self._beliefs.get((question.tenant, entity), ()):
                linked = belief.linked
                if linked and rule.live(belief, question.valid_at, question.known_at, bit):
                    yield linked

        return walked(question.start, question.hops, onward)


def listening(history: History, listener: str) -> Listener:
    """The rule of that name."""
    return history.listeners.rules[history.listeners.bit(listener).bit_length() - 1]


def walked(start: str, hops: int, onward: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """What is reached in 1 to `hops` steps, with the fewest; the start itself is not told."""
    steps = {start: 0}
    edge = [start]
    for step in range(1, hops + 1):
        ahead = sorted({found for entity in edge for found in onward(entity)} - steps.keys())
        steps.update((entity, step) for entity in ahead)
        edge = ahead
    del steps[start]
    return steps


def compare(
    questions: Sequence[Asked], got: Sequence[Answer], expected: Sequence[Mapping[str, object]]
) -> list[str]:
    """A line for each question that is answered otherwise than expected."""
    return [
        f"{question} gives {answer}, not {wanted}"
        for question, answer, wanted in zip(questions, got, expected, strict=True)
        if answer != wanted
    ]
