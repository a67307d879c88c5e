"""The engine that paints in SQL over statements, for the tests that compare engines.

Many histories are asked in one relation: every name gets its tenant in front, so that they cannot
meet. Histories whose listeners differ have relations of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from lakehouse.asof.asof import AsOf, At, Question
from lakehouse.asof.relations import Statements
from lakehouse.model.beliefs import ERASED
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Statement
from tests.histories import Answer, Asked, History, Reached

_POOL = "pool"


@dataclass
class LakeEngine:
    """Answers by `lakehouse.asof`; see `tests.engines.Engine`."""

    _pools: dict[str, AsOf] = field(default_factory=dict)

    def load(self, histories: Sequence[History]) -> None:
        """Put the ledgers of equal listeners together."""
        alike: defaultdict[tuple[object, ...], list[History]] = defaultdict(list)
        for history in histories:
            alike[history.listeners.declared].append(history)
        for several in alike.values():
            said = [_named(s, history) for history in several for s in history.statements]
            many = {
                f"{history.tenant}/{s.predicate}"
                for history in several
                for s in history.statements
                if s.predicate and history.cardinality(s.predicate) is Cardinality.MANY
            }
            listeners = Listeners(several[0].listeners.declared)
            asof = AsOf(Statements.of(_POOL, said), many, listeners)
            self._pools.update((history.tenant, asof) for history in several)

    def ask(self, questions: Sequence[Asked]) -> list[Answer]:
        """All questions of a relation and a clearance in one go."""
        answers: list[Answer] = [{} for _ in questions]
        groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        for number, one in enumerate(questions):
            groups[id(self._pools[one.tenant]), one.clearance].append(number)
        for (_, clearance), numbers in groups.items():
            asof = self._pools[questions[numbers[0]].tenant]
            named = [_question(questions[number]) for number in numbers]
            found = asof.believed(named, clearance=clearance)
            for number, values in zip(numbers, found, strict=True):
                start = len(questions[number].tenant) + 1
                answers[number] = {
                    value if value == ERASED else value[start:]: frozenset(i[start:] for i in ids)
                    for value, ids in values.items()
                }
        return answers

    def reach(self, questions: Sequence[Reached]) -> list[dict[str, int]]:
        """All paths of a relation in one go."""
        answers: list[dict[str, int]] = [{} for _ in questions]
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for number, one in enumerate(questions):
            groups[id(self._pools[one.tenant])].append(number)
        for numbers in groups.values():
            asked = [questions[number] for number in numbers]
            found = self._pools[asked[0].tenant].reaches(
                [
                    (f"{q.tenant}/{q.start}", q.hops, At(q.valid_at, q.known_at, q.listener))
                    for q in asked
                ]
            )
            for number, steps in zip(numbers, found, strict=True):
                start = len(questions[number].tenant) + 1
                answers[number] = {entity[start:]: step for entity, step in steps.items()}
        return answers


def _question(one: Asked) -> Question:
    prefix = f"{one.tenant}/"
    return Question(
        prefix + one.subject, prefix + one.predicate, one.valid_at, one.known_at, one.listener
    )


def _named(statement: Statement, history: History) -> Statement:
    def name(text: str) -> str:
        return f"{history.tenant}/{text}" if text else ""

    return replace(
        statement,
        tenant=_POOL,
        statement_id=name(statement.statement_id),
        episode_id=name(statement.episode_id),
        subject=name(statement.subject),
        predicate=name(statement.predicate),
        object=None if statement.object is None else name(statement.object),
        target=None if statement.target is None else name(statement.target),
    )
