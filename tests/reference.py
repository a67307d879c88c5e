"""A second way to the same answer: replay the ledger for one question, painter after painter.

Written from DESIGN section 3 by the sequential rule, sharing no code with the fold. Slow on
purpose: no rectangles, no closed form, nothing remembered between two questions.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakehouse.model.beliefs import ERASED
from lakehouse.model.instants import FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import ENTITY, Operation, Statement

Answer = dict[str, frozenset[str]]


def believed(
    ledger: Sequence[Statement],
    cardinality: Cardinality,
    subject: str,
    predicate: str,
    valid_at: int,
    known_at: int,
    listener: Listener,
) -> Answer:
    """Each believed value with its supporting statement ids; `<erased>` with none."""
    counting = heard(ledger, known_at, listener)
    return painted(counting, erased(ledger), cardinality, subject, predicate, valid_at)


def heard(ledger: Sequence[Statement], known_at: int, listener: Listener) -> list[Statement]:
    """What the listener goes by at `known_at`, in ledger order."""
    said = sorted((s for s in ledger if s.recorded_at <= known_at), key=lambda s: s.order)
    counts = _counting(said, listener)
    return [s for s in said if s.statement_id in counts]


def erased(ledger: Sequence[Statement]) -> set[str | None]:
    """What erasures name, at whatever instant."""
    return {s.target for s in ledger if s.op is Operation.ERASE}


def painted(
    counting: Sequence[Statement],
    gone: set[str | None],
    cardinality: Cardinality,
    subject: str,
    predicate: str,
    valid_at: int,
) -> Answer:
    """Painter after painter over one valid instant."""
    about = [s for s in counting if (s.subject, s.predicate) == (subject, predicate)]
    if cardinality is Cardinality.ONE:
        return _top(about, valid_at, gone)
    answer: Answer = {}
    for value in {s.object for s in about if s.object is not None}:
        mine = [s for s in about if s.object in (None, value)]
        answer |= _top(mine, valid_at, gone)
    return answer


def _counting(said: Sequence[Statement], listener: Listener) -> set[str]:
    """Ids of statements that are heard and not withdrawn, from the end of the ledger back."""
    counts: set[str] = set()
    withdrawn: set[str] = set()
    marked: dict[str, list[Statement]] = {}
    for s in reversed(said):
        names = {s.statement_id, s.episode_id}
        if not names.isdisjoint(withdrawn):
            continue
        if s.op is Operation.MARK and s.target is not None:
            marked.setdefault(s.target, []).append(s)
            continue
        trust, classification = s.trust, s.classification
        marks = [mark for name in names for mark in marked.get(name, ())]
        for mark in sorted(marks, key=lambda mark: mark.order):
            trust = trust if mark.mark_trust is None else mark.mark_trust
            if mark.mark_classification is not None:
                classification = mark.mark_classification
        if not listener.hears(trust, classification, s.source, s.tags):
            continue
        counts.add(s.statement_id)
        if s.op is Operation.WITHDRAW and s.target is not None:
            withdrawn.add(s.target)
    return counts


def _top(painters: Sequence[Statement], valid_at: int, gone: set[str | None]) -> Answer:
    run: list[Statement] = []
    for s in painters:
        open_end = s.op is Operation.END or (
            s.op is Operation.ASSERT and s.valid_to == UNTIL_CHANGED
        )
        until = FOREVER if open_end else s.valid_to
        if not s.valid_from <= valid_at < until:
            continue
        if open_end and run and run[-1].valid_from > s.valid_from:
            continue
        same = run and run[-1].op is s.op and run[-1].object == s.object
        run = [*run, s] if same else [s]
    if not run or run[-1].op is not Operation.ASSERT:
        return {}
    live = [s.statement_id for s in run if not s.erased and not gone & _names(s)]
    return {str(run[-1].object): frozenset(live)} if live else {ERASED: frozenset()}


def _names(s: Statement) -> set[str | None]:
    """Its names, and the entities it speaks of; a literal that reads like one is none."""
    names: set[str | None] = {s.statement_id, s.episode_id, s.subject}
    return names | {s.object} if s.object_kind == ENTITY else names
