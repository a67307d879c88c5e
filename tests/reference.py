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
from lakehouse.model.statements import Operation, Statement

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
    gone = {s.target for s in ledger if s.op is Operation.ERASE}
    said = sorted((s for s in ledger if s.recorded_at <= known_at), key=lambda s: s.order)
    counts = _counting(said, listener)
    about = [
        s
        for s in said
        if s.statement_id in counts and (s.subject, s.predicate) == (subject, predicate)
    ]
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
    marked: dict[str, Statement] = {}
    for s in reversed(said):
        names = (s.statement_id, s.episode_id)
        if any(name in withdrawn for name in names):
            continue
        marks = [marked[name] for name in names if name in marked]
        trusts = sorted((m.order, m.mark_trust) for m in marks if m.mark_trust is not None)
        trust = trusts[-1][1] if trusts else s.trust
        assert trust is not None
        if s.op is Operation.MARK and s.target is not None:
            marked.setdefault(s.target, s)
            continue
        if not listener.hears(trust, s.classification, s.source, s.tags):
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
    live = [
        s.statement_id
        for s in run
        if not s.erased and not gone & {s.statement_id, s.episode_id, s.subject, s.object}
    ]
    return {str(run[-1].object): frozenset(live)} if live else {ERASED: frozenset()}
