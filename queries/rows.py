"""Rows of the graph become beliefs; the order of a row is that of `cypher/belief.cypher`.

What happened after `known_at` is masked here, once, for every verb.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from graph.rule import masked
from lakehouse.model.beliefs import ERASED
from queries.answers import Believed, Evidence, Path

Row = Sequence[Any]


def believed(row: Row, known_at: int, step: int = 0) -> Believed:
    """One belief as known at `known_at`."""
    recorded_to, closed_by, reason = masked(row[9], row[12], row[13], known_at)
    location, became_known = row[24] or (None, None)
    evidence = Evidence(
        statement_id=row[14],
        episode_id=row[15],
        source=row[16],
        source_record=row[17] or "",
        location=location or "",
        landed_at=row[22],
        recorded_at=row[8] if became_known is None else became_known,
        attested=bool(row[23]),
        trust=row[18],
        classification=row[19],
        who=row[20],
        tags=tuple(row[21] or ()),
    )
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
        opened_by=row[11],
        closed_by=closed_by,
        reason=reason,
        evidence=evidence,
        step=step,
    )


def beliefs(rows: Iterable[Row], known_at: int) -> tuple[Believed, ...]:
    """Beliefs in the order in which they are told."""
    return tuple(sorted((believed(row, known_at) for row in rows), key=_order))


def stepped(rows: Iterable[Row], known_at: int) -> tuple[Believed, ...]:
    """Beliefs that come with the step at which they were met."""
    return tuple(sorted((believed(row, known_at, step) for step, row in rows), key=_order))


def chains(found: Row, known_at: int) -> tuple[tuple[Believed, ...], tuple[Path, ...]]:
    """Beliefs told once, and the paths that name them."""
    named, rows = found
    told = beliefs(rows, known_at)
    by_id = {belief.belief_id: belief for belief in told}
    paths = []
    for _, ids in named:
        steps = tuple(by_id[belief_id] for belief_id in ids)
        paths.append(Path(steps[0].subject, steps[-1].object, steps))
    paths.sort(key=lambda path: (path.length, path.start, path.end, [s.order for s in path.steps]))
    return told, tuple(paths)


def confirmation(row: Row, attested_to: int) -> Evidence:
    """A further supporter; the order of a row is that of `cypher/support.cypher`."""
    attested = row[7] <= attested_to
    known = row[8] if attested else row[9]
    return Evidence(
        statement_id=row[1],
        episode_id=row[2],
        source=row[3],
        source_record=row[4] or "",
        location=row[5] or "",
        landed_at=row[6],
        recorded_at=row[7] if known is None else known,
        attested=attested,
        trust=row[10],
        classification=row[11],
        who=row[12],
        tags=tuple(row[13] or ()),
    )


def _order(belief: Believed) -> tuple[int | str, ...]:
    return belief.order
