"""How each statement stands at every recorded instant: for whom not withdrawn, and what it carries.

What undoes is settled from the end of the ledger backwards (DESIGN section 3.2): when a statement
is reached, everything later that may withdraw or mark it is settled already. A withdrawal counts
for the listeners that hear it, a mark for everyone for whom it is not itself withdrawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import UNDOING, Operation, Statement


class Carried(NamedTuple):
    """For the listeners in `mask` the statement is not withdrawn and carries these levels."""

    mask: int
    trust: int
    classification: int


class Step(NamedTuple):
    """From recorded instant `at` on (µs UTC) the statement stands so, because of `cause`.

    `heard` are the parts of `carried` cut down to the listeners that hear them, empty ones left
    out. The cause is the statement's own id at first, then the withdrawal or mark.
    """

    at: int
    carried: tuple[Carried, ...]
    heard: tuple[Carried, ...]
    cause: str


class _Effect(NamedTuple):
    """From `at` on an undoing operation works for the listeners in `mask`."""

    at: int
    mask: int
    cause: str


class Standings:
    """How every statement of one ledger stands; only what something may undo takes room."""

    def __init__(self, ledger: Sequence[Statement], listeners: Listeners) -> None:
        """Settle a ledger, given in ledger order."""
        self._plain = _Plain(listeners)
        self._settled: dict[str, tuple[Step, ...]] = {}
        undoing: dict[str, list[Statement]] = defaultdict(list)
        for statement in ledger:
            if statement.target is not None and statement.op in UNDOING:
                undoing[statement.target].append(statement)
        if undoing:
            self._settle(ledger, undoing, listeners)

    def _settle(
        self,
        ledger: Sequence[Statement],
        undoing: Mapping[str, list[Statement]],
        listeners: Listeners,
    ) -> None:
        effects: dict[str, list[_Effect]] = {}
        for statement in reversed(ledger):
            reached_by = _later(statement, undoing)
            if reached_by:
                steps = _settle(statement, reached_by, effects, listeners)
                self._settled[statement.statement_id] = steps
            if statement.target is not None and statement.op in UNDOING:
                effects[statement.statement_id] = _effects(statement, self.of(statement))

    def of(self, statement: Statement) -> tuple[Step, ...]:
        """The statement's steps, with ascending `at`."""
        return self._settled.get(statement.statement_id) or (self._plain.first(statement),)

    def any_undone(self, statements: Iterable[Statement]) -> bool:
        """True when a withdrawal or mark reaches one of them, in force or not."""
        settled = self._settled
        return bool(settled) and any(s.statement_id in settled for s in statements)


def _later(statement: Statement, undoing: Mapping[str, list[Statement]]) -> list[Statement]:
    if statement.statement_id not in undoing and statement.episode_id not in undoing:
        return []
    aimed = [
        undoer
        for target in {statement.statement_id, statement.episode_id}
        for undoer in undoing.get(target, ())
        if undoer.order > statement.order
    ]
    return sorted(aimed, key=lambda undoer: undoer.order)


class _Plain:
    """First steps; what equal levels, sources and tags come to is worked out once."""

    def __init__(self, listeners: Listeners) -> None:
        self._listeners = listeners
        self._known: dict[object, tuple[tuple[Carried, ...], tuple[Carried, ...]]] = {}

    def first(self, statement: Statement) -> Step:
        """How the statement stands from its recorded instant on, while nothing undoes it."""
        kind = (statement.trust, statement.classification, statement.source, statement.tags)
        found = self._known.get(kind)
        if found is None:
            everyone = self._listeners.everyone
            carried = (Carried(everyone, statement.trust, statement.classification),)
            found = self._known[kind] = (carried, _heard(statement, carried, self._listeners))
        return Step(statement.recorded_at, *found, statement.statement_id)


def _heard(
    statement: Statement, carried: Iterable[Carried], listeners: Listeners
) -> tuple[Carried, ...]:
    parts = (
        Carried(
            part.mask
            & listeners.mask(part.trust, part.classification, statement.source, statement.tags),
            part.trust,
            part.classification,
        )
        for part in carried
    )
    return tuple(part for part in parts if part.mask)


def _effects(undoer: Statement, steps: Sequence[Step]) -> list[_Effect]:
    if undoer.op is Operation.WITHDRAW:
        return [_Effect(step.at, _masks(step.heard), step.cause) for step in steps]
    return [_Effect(step.at, _masks(step.carried), step.cause) for step in steps]


def _masks(parts: Iterable[Carried]) -> int:
    mask = 0
    for part in parts:
        mask |= part.mask
    return mask


def _settle(
    statement: Statement,
    undoers: Sequence[Statement],
    effects: Mapping[str, list[_Effect]],
    listeners: Listeners,
) -> tuple[Step, ...]:
    causes: dict[int, list[tuple[Statement | None, str]]] = defaultdict(list)
    causes[statement.recorded_at].append((None, statement.statement_id))
    for undoer in undoers:
        for effect in effects[undoer.statement_id]:
            causes[effect.at].append((undoer, effect.cause))

    def carried_at(at: int, but: Statement | None = None) -> tuple[Carried, ...]:
        return _carried_at(statement, undoers, effects, listeners.everyone, at, but)

    steps: list[Step] = []
    for at in sorted(causes):
        carried = carried_at(at)
        if not steps or steps[-1].carried != carried:
            heard = _heard(statement, carried, listeners)
            *others, (_, cause) = causes[at]
            if not steps:
                cause = statement.statement_id
            elif others:
                mattered = (c for u, c in reversed(causes[at]) if carried_at(at, u) != carried)
                cause = next(mattered, cause)
            steps.append(Step(at, carried, heard, cause))
    return tuple(steps)


def _carried_at(
    statement: Statement,
    undoers: Sequence[Statement],
    effects: Mapping[str, list[_Effect]],
    everyone: int,
    at: int,
    but: Statement | None = None,
) -> tuple[Carried, ...]:
    """What it carries from `at` on; of the undoer `but` only what it did before."""
    parts = {(statement.trust, statement.classification): everyone}
    for undoer in undoers:
        mask = _mask_at(effects[undoer.statement_id], at - (undoer is but))
        if not mask:
            continue
        changed: dict[tuple[int, int], int] = {}
        for levels, part in parts.items():
            changed[levels] = changed.get(levels, 0) | part & ~mask
            if undoer.op is Operation.MARK:
                marked = _marked(levels, undoer)
                changed[marked] = changed.get(marked, 0) | part & mask
        parts = {levels: part for levels, part in changed.items() if part}
    return tuple(Carried(part, *levels) for levels, part in sorted(parts.items()))


def _marked(levels: tuple[int, int], mark: Statement) -> tuple[int, int]:
    trust, classification = levels
    return (
        trust if mark.mark_trust is None else mark.mark_trust,
        classification if mark.mark_classification is None else mark.mark_classification,
    )


def _mask_at(effects: Sequence[_Effect], at: int) -> int:
    mask = 0
    for effect in effects:
        if effect.at > at:
            break
        mask = effect.mask
    return mask
