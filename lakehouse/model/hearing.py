"""What an audience hears at one recorded instant, and where on the valid axis that matters.

What is forgotten or marked can matter only where it shows or lies right beneath what shows:
deeper down, something else hides it whatever happens to it. The exceptions are forgotten over their
whole period: a painter with a period of its own, since it decides which of the later ones that give
way could paint; one that asserts nothing, and an erased one, since no belief tells where they show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from lakehouse.model.pieces import Audience, Levels
from lakehouse.model.spans import Span
from lakehouse.model.standing import Step
from lakehouse.model.statements import Operation, Statement


@dataclass(slots=True)
class Change:
    """Where the beliefs of an audience may have changed, and where they are only confirmed."""

    dirty: list[Span] = field(default_factory=list)
    confirmed: list[tuple[str, Span]] = field(default_factory=list)
    """(id of the further supporter, over what)."""

    def spans(self) -> list[Span]:
        """All of it."""
        return self.dirty + [span for _, span in self.confirmed]


def hear(
    audience: Audience, events: Iterable[tuple[Statement, Step]], erased: Collection[str]
) -> Change:
    """Let the audience hear these steps, in ledger order, of one recorded instant."""
    gone: list[Statement] = []
    came: list[Statement] = []
    change = Change()
    for statement, step in events:
        name = statement.statement_id
        levels = _levels(step, audience.mask)
        before = audience.carried.get(name)
        if before == levels:
            continue
        if levels is None:
            del audience.carried[name]
        else:
            audience.carried[name] = levels
        if before is None:
            came.append(statement)
        elif levels is None:
            gone.append(statement)
        else:
            change.dirty += _shown(audience, statement, erased)
    if gone:
        reached = [span for s in gone for span in _reach(audience, s, erased)]
        audience.canvas.forget(gone)
        audience.canvas.redo(reached)
        change.dirty += reached
    for statement in came:
        _take(audience, statement, change, erased)
    return change


def _levels(step: Step, mask: int) -> Levels | None:
    """What the statement carries for these listeners; None where they do not hear it."""
    for part in step.heard:
        if part.mask & mask:
            return part.trust, part.classification
    return None


def _take(
    audience: Audience, statement: Statement, change: Change, erased: Collection[str]
) -> None:
    """Lay a statement on top, or beneath those that came after it and are heard already."""
    if statement.order < audience.last:
        change.dirty += audience.canvas.insert(statement)
        return
    audience.last = statement.order
    confirmed, changed = audience.canvas.paint(statement)
    change.dirty += changed
    if not (statement.erased or statement.statement_id in erased):
        change.confirmed += [(statement.statement_id, span) for span in confirmed]


def _reach(audience: Audience, statement: Statement, erased: Collection[str]) -> list[Span]:
    """Where it matters that a statement heard so far is heard no more."""
    if not statement.until_changed or statement.op is not Operation.ASSERT:
        return [(statement.valid_from, statement.end)]
    return _shown(audience, statement, erased) + audience.canvas.near(statement)


def _shown(audience: Audience, statement: Statement, erased: Collection[str]) -> list[Span]:
    """Where a statement may show: an erased one supports nothing, but keeps its place."""
    if statement.erased or statement.statement_id in erased:
        return [(statement.valid_from, statement.end)]
    return audience.showing(statement.statement_id)
