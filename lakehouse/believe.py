"""Believe: new statements of a tenant become changes to its beliefs, one commit.

Only the subjects that new statements reach are folded again, each with its whole history and
with every withdrawal, mark and erasure that reaches it, however indirectly.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from lakehouse.ledger import Ledger, Progress
from lakehouse.model.changes import changes
from lakehouse.model.fold import CardinalityOf
from lakehouse.model.ledger import Commit, Stage
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import PAINTING, UNDOING, Operation, Statement

_FEW_SUBJECTS = 2_000
"""Beyond this many touched subjects one scan of the tenant is cheaper than a pruned read."""


def believe(
    ledger: Ledger,
    tenant: str,
    cardinality: CardinalityOf,
    listeners: Listeners,
    progress: Progress = lambda line: None,
) -> Commit | None:
    """Fold what the extract commits since the last believe commit say; None when none came."""
    extracts = ledger.commits(tenant, stage=Stage.EXTRACT)
    done = max((c.through for c in ledger.commits(tenant, stage=Stage.BELIEVE)), default=0)
    waiting = [commit for commit in extracts if commit.position > done]
    if not waiting:
        return None
    since = max((c.ledger_to for c in extracts if c.position <= done), default=None)
    through = waiting[-1].position
    if since is None:
        statements = ledger.statements(tenant, through=through)
    else:
        fresh = ledger.statements(tenant, after=done, through=through)
        statements = reached(ledger, tenant, fresh, through)
    progress(f"folding {len(statements):,} statements")
    found = changes(statements, cardinality, listeners, since)
    return ledger.append_beliefs(tenant, found, through=through)


def reached(
    ledger: Ledger, tenant: str, fresh: Sequence[Statement], through: int
) -> list[Statement]:
    """All statements of the subjects that the fresh ones reach, with all that undoes them."""
    if any(statement.op is Operation.ERASE for statement in fresh):
        return ledger.statements(tenant, through=through)
    subjects = _subjects(ledger, tenant, fresh, through)
    if len(subjects) > _FEW_SUBJECTS:
        known = ledger.statements(tenant, through=through)
    else:
        known = _closure(ledger, tenant, subjects, through)
    painters = [s for s in known if s.op in PAINTING and s.subject in subjects]
    return _ordered([*painters, *(s for s in known if s.op not in PAINTING)])


def _subjects(ledger: Ledger, tenant: str, fresh: Iterable[Statement], through: int) -> set[str]:
    """Subjects of these statements and, through targets of targets, of what they undo."""
    subjects: set[str] = set()
    asked: set[str] = set()
    reach = list(fresh)
    while reach:
        subjects.update(s.subject for s in reach if s.op in PAINTING)
        targets = {s.target for s in reach if s.op in UNDOING and s.target} - asked
        asked |= targets
        found = ledger.statements(tenant, ids=targets, through=through) if targets else []
        reach = [s for s in found if {s.statement_id, s.episode_id} & targets]
    return subjects


def _closure(
    ledger: Ledger, tenant: str, subjects: Collection[str], through: int
) -> list[Statement]:
    """Statements of the subjects, and what aims at them or at what aims at them."""
    found = {
        s.statement_id: s for s in ledger.statements(tenant, subjects=subjects, through=through)
    }
    frontier = list(found.values())
    while frontier:
        names = {name for statement in frontier for name in statement.names}
        aiming = [
            s
            for s in ledger.statements(tenant, ids=names, through=through)
            if s.op not in PAINTING and s.statement_id not in found and s.target in names
        ]
        found.update((s.statement_id, s) for s in aiming)
        frontier = aiming
    return list(found.values())


def _ordered(statements: Iterable[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda statement: statement.order)
