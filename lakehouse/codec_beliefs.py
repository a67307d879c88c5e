"""Belief changes as rows of the change logs `beliefs` and `supporters`, and back.

`kind` is `opened` (every column), `closed` (id, `recorded_to`, and for beliefs `closed_by` and
`reason`), `tightened` (id, `recorded_from` = since when, `strictest`) or `removed` (id: an
erasure took it back). What its own origin opened has no `opened_by`: an id is 17 bytes, and
`heard_before`, how long before `recorded_from` it was heard (µs), is mostly 0: none at all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from lakehouse.columns import Same, assemble, shared, values
from lakehouse.model.beliefs import Belief, Reason, Support
from lakehouse.model.ledger import BeliefChanges, Closing, SupportClosing, Tightening
from lakehouse.table_spec import TableSpec
from lakehouse.tables import BELIEFS, SUPPORTERS

OPENED: Final = "opened"
CLOSED: Final = "closed"
TIGHTENED: Final = "tightened"
REMOVED: Final = "removed"
_REASON: Final[dict[str | None, Reason | None]] = {
    None: None,
    **{reason.value: reason for reason in Reason},
}

_OURS: Final = ("tenant", "batch_id", "ordinal", "kind", "heard_before")
_BELIEF_FIELDS: Final = tuple(name for name in BELIEFS.arrow.names if name not in _OURS)
_SUPPORT_FIELDS: Final = tuple(name for name in SUPPORTERS.arrow.names if name not in _OURS)
_FEW: Final = frozenset(
    {
        "subject", "predicate", "object", "object_kind", "subject_type", "object_type",
        "valid_from_basis",
    }
)  # fmt: skip
"""Columns of few distinct values."""
_TOLD_ANEW: Final = _FEW | {"tightened", "opened_by", "reason"}
"""Columns that are not read as they stand."""

_Columns = Mapping[str, Sequence[Any] | Same]
_Place = tuple[str, str, int]
"""Tenant, batch, first ordinal."""
Recorded = Callable[[Collection[str]], Mapping[str, int]]
"""When statements became known (µs UTC), by their ids."""


def belief_rows(tenant: str, batch: str, changes: BeliefChanges) -> pa.Table:
    """Rows of `beliefs`: what opens, closes, tightens and is removed, in this order."""
    opened, closed, tightened = changes.opened, changes.closed, changes.tightened
    begin = len(opened)
    rectangles: _Columns = {
        "kind": Same(OPENED),
        **{name: [getattr(b, name) for b in opened] for name in _BELIEF_FIELDS},
        "tightened": [
            [{"recorded_at": at, "strictest": level} for at, level in b.tightened] for b in opened
        ],
        "reason": [b.reason.value if b.reason else None for b in opened],
        "opened_by": [None if b.opened_by == b.origin else b.opened_by for b in opened],
        "heard_before": [b.recorded_from - b.heard_at for b in opened],
    }
    closings: _Columns = {
        "kind": Same(CLOSED),
        "belief_id": [c.belief_id for c in closed],
        "recorded_to": [c.recorded_to for c in closed],
        "closed_by": [c.closed_by for c in closed],
        "reason": [c.reason.value for c in closed],
    }
    steps: _Columns = {
        "kind": Same(TIGHTENED),
        "belief_id": [t.belief_id for t in tightened],
        "recorded_from": [t.recorded_at for t in tightened],
        "strictest": [t.strictest for t in tightened],
    }
    removed: _Columns = {"kind": Same(REMOVED), "belief_id": list(changes.removed)}
    last = begin + len(closed) + len(tightened)
    return pa.concat_tables(
        [
            _more(BELIEFS, (tenant, batch, 0), len(opened), rectangles),
            _more(BELIEFS, (tenant, batch, begin), len(closed), closings),
            _more(BELIEFS, (tenant, batch, begin + len(closed)), len(tightened), steps),
            _more(BELIEFS, (tenant, batch, last), len(changes.removed), removed),
        ]
    )


def support_rows(tenant: str, batch: str, changes: BeliefChanges) -> pa.Table:
    """Rows of `supporters`: what opens, closes and is removed, in this order."""
    opened, closed = changes.supports_opened, changes.supports_closed
    boxes: _Columns = {
        "kind": Same(OPENED),
        **{name: [getattr(s, name) for s in opened] for name in _SUPPORT_FIELDS},
        "heard_before": [s.recorded_from - s.heard_at for s in opened],
    }
    closings: _Columns = {
        "kind": Same(CLOSED),
        "support_id": [c.support_id for c in closed],
        "recorded_to": [c.recorded_to for c in closed],
    }
    removed: _Columns = {"kind": Same(REMOVED), "support_id": list(changes.supports_removed)}
    last = len(opened) + len(closed)
    return pa.concat_tables(
        [
            _more(SUPPORTERS, (tenant, batch, 0), len(opened), boxes),
            _more(SUPPORTERS, (tenant, batch, len(opened)), len(closed), closings),
            _more(SUPPORTERS, (tenant, batch, last), len(changes.supports_removed), removed),
        ]
    )


def _more(spec: TableSpec, place: _Place, count: int, columns: _Columns) -> pa.Table:
    tenant, batch, begin = place
    where: _Columns = {
        "tenant": Same(tenant),
        "batch_id": Same(batch),
        "ordinal": range(begin, begin + count),
    }
    return assemble(spec, count, {**where, **columns})


def changes_of(
    tenant: str, beliefs: pa.Table | None, supporters: pa.Table | None, recorded: Recorded
) -> BeliefChanges:
    """Changes in the order of the rows, not yet merged; without a table, none of its kind.

    `recorded` is asked for what rows older than the column `heard_before` do not tell.
    """
    beliefs = BELIEFS.arrow.empty_table() if beliefs is None else beliefs
    supporters = SUPPORTERS.arrow.empty_table() if supporters is None else supporters
    opened, boxes = _kind(beliefs, OPENED), _kind(supporters, OPENED)
    return BeliefChanges(
        opened=tuple(_beliefs(tenant, opened, _heard(opened, "origin", recorded))),
        closed=tuple(_closings(_kind(beliefs, CLOSED))),
        tightened=tuple(_tightenings(_kind(beliefs, TIGHTENED))),
        supports_opened=tuple(_supports(tenant, boxes, _heard(boxes, "statement_id", recorded))),
        supports_closed=tuple(_support_closings(_kind(supporters, CLOSED))),
        removed=tuple(values(_kind(beliefs, REMOVED), "belief_id")),
        supports_removed=tuple(values(_kind(supporters, REMOVED), "support_id")),
    )


def _kind(rows: pa.Table, kind: str) -> pa.Table:
    return rows.filter(pc.equal(rows["kind"], kind))


def _heard(rows: pa.Table, statement: str, recorded: Recorded) -> list[int]:
    """When the statement that each row names became known."""
    told = pc.subtract(rows["recorded_from"], rows["heard_before"]).to_pylist()
    if None not in told:
        return list(told)
    named = list(zip(told, values(rows, statement), strict=True))
    known = recorded({name for at, name in named if at is None})
    return [known[name] if at is None else at for at, name in named]


def _beliefs(tenant: str, rows: pa.Table, heard: Sequence[int]) -> list[Belief]:
    columns: dict[str, Iterable[Any]] = {
        **{name: values(rows, name) for name in _BELIEF_FIELDS if name not in _TOLD_ANEW},
        **{name: shared(rows, name) for name in _FEW},
        "tenant": repeat(tenant),
        "heard_at": heard,
        "tightened": _steps(rows["tightened"]),
        "reason": map(_REASON.__getitem__, shared(rows, "reason")),
    }
    openers = zip(values(rows, "opened_by"), columns["origin"], strict=True)
    columns["opened_by"] = [opener or origin for opener, origin in openers]
    return list(map(Belief, *(columns[name] for name in Belief._fields)))


def _steps(column: Any) -> list[tuple[tuple[int, int], ...]]:
    if not pc.max(pc.list_value_length(column)).as_py():
        return [()] * len(column)
    return [
        tuple((step["recorded_at"], step["strictest"]) for step in steps)
        for steps in column.to_pylist()
    ]


def _closings(rows: pa.Table) -> list[Closing]:
    return [
        Closing(belief_id, recorded_to, closed_by, Reason(reason))
        for belief_id, recorded_to, closed_by, reason in zip(
            values(rows, "belief_id"),
            values(rows, "recorded_to"),
            values(rows, "closed_by"),
            values(rows, "reason"),
            strict=True,
        )
    ]


def _tightenings(rows: pa.Table) -> list[Tightening]:
    names = ("belief_id", "recorded_from", "strictest")
    return list(map(Tightening, *(values(rows, name) for name in names)))


def _supports(tenant: str, rows: pa.Table, heard: Sequence[int]) -> list[Support]:
    columns: dict[str, Iterable[Any]] = {
        **{name: values(rows, name) for name in _SUPPORT_FIELDS},
        "tenant": repeat(tenant),
        "heard_at": heard,
    }
    return list(map(Support, *(columns[name] for name in Support._fields)))


def _support_closings(rows: pa.Table) -> list[SupportClosing]:
    return list(map(SupportClosing, values(rows, "support_id"), values(rows, "recorded_to")))
