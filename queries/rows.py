"""Rows of the graph become beliefs; the order of a row is that of `cypher/belief.cypher`.

What happened after `known_at`, and what a reader may not know, is masked here, for every verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graph.rule import masked
from lakehouse.model.beliefs import ERASED
from queries.answers import Believed, Evidence, Path, told_cause
from queries.basis import Basis

Row = Sequence[Any]


def believed(row: Row, basis: Basis, step: int = 0) -> Believed:
    """One belief as known at the basis."""
    recorded_to, closed_by, reason = masked(row[9], row[12], row[13], basis.known_at)
    evidence = _evidence(row[14:])
    origin = evidence.statement_id
    return Believed(
        belief_id=row[0],
        key=row[1],
        subject=row[2],
        predicate=row[3],
        object=ERASED if row[5] == "erased" else row[4],
        object_kind=row[5],
        valid_from=row[6],
        valid_to=row[7],
        recorded_from=row[8],
        recorded_to=recorded_to,
        valid_from_basis=row[10],
        opened_by=told_cause(row[11], origin, basis.clearance),
        closed_by=told_cause(closed_by, origin, basis.clearance),
        reason=reason,
        evidence=evidence,
        step=step,
    )


def beliefs(rows: Iterable[Row], basis: Basis) -> tuple[Believed, ...]:
    """Beliefs in the order in which they are told."""
    return tuple(sorted((believed(row, basis) for row in rows), key=_order))


def stepped(rows: Iterable[Row], basis: Basis) -> tuple[Believed, ...]:
    """Beliefs that come with the step at which they were met."""
    return tuple(sorted((believed(row, basis, step) for step, row in rows), key=_order))


def chains(found: Row, basis: Basis) -> tuple[tuple[Believed, ...], tuple[Path, ...]]:
    """Beliefs told once, and the paths that name them."""
    named, rows = found
    told = beliefs(rows, basis)
    by_id = {belief.belief_id: belief for belief in told}
    paths = []
    for _, ids in named:
        steps = tuple(by_id[belief_id] for belief_id in ids)
        paths.append(Path(steps[0].subject, steps[-1].object, steps))
    paths.sort(key=lambda path: (path.length, path.start, path.end, [s.order for s in path.steps]))
    return told, tuple(paths)


def history(rows: Iterable[Row], basis: Basis) -> tuple[Believed, ...]:
    """Rectangles in the order in which they became known."""
    told = (believed(row, basis) for row in rows)
    return tuple(sorted(told, key=lambda b: (b.recorded_from, b.valid_from, b.belief_id)))


def between(
    start: str, end: str, found: Row, basis: Basis
) -> tuple[tuple[Believed, ...], tuple[Path, ...]]:
    """Beliefs told once, and the paths from `start` to `end`, whose steps may point either way."""
    named, rows = found
    told = beliefs(rows, basis)
    by_id = {belief.belief_id: belief for belief in told}
    paths = [Path(start, end, tuple(by_id[one] for one in ids)) for ids in named]
    return told, tuple(sorted(paths, key=lambda path: [step.order for step in path.steps]))


def confirmation(row: Row) -> Evidence:
    """A further supporter; the order of a row is that of `cypher/support.cypher`."""
    return _evidence(row[1:])


def _evidence(row: Row) -> Evidence:
    """One statement; both files tell it in this order."""
    (
        statement,
        episode,
        source,
        record,
        location,
        trust,
        level,
        who,
        tags,
        landed,
        heard,
        attested,
    ) = row
    return Evidence(
        statement_id=statement,
        episode_id=episode,
        source=source,
        source_record=record or "",
        location=location or "",
        landed_at=landed,
        recorded_at=heard,
        attested=attested,
        trust=trust,
        classification=level,
        who=who,
        tags=tuple(tags or ()),
    )


def _order(belief: Believed) -> tuple[int | str, ...]:
    return belief.order
