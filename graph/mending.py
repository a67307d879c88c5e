"""What must be written so that the graph holds the lake's rows: differences become steps.

An edge that is missing, doubled, at a wrong end, of the wrong type or altered in what never
changes is replaced: whatever carries its id goes, and it is created as by a projection. One that
differs only in what closing changes gets those columns. Nodes get exactly their properties.
A step is `below` when a reader at the watermark could tell it from no step at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from graph.batch import MEND_CONFIRMS, MEND_EDGE
from graph.comparison import Finding, Kind
from graph.lake_rows import ATTRIBUTE, BELIEF, CONFIRMS, ENTITY_NODE, MENTIONS, Shape
from graph.rows import Row
from graph.writer import Run

_CLOSED: Final = frozenset(
    {"recorded_to", "closed_by", "reason", "classification", "closed_at", "fork"}
)
"""Columns that may change after an edge was written."""


@dataclass(frozen=True, slots=True)
class Work:
    """One kind of step: the statements that do it, one after the other over the same rows."""

    what: str
    counts: Literal["edges_opened", "edges_closed", "removed", "nodes"]
    """Which number of `graph.repair.Repaired` its rows add to."""
    runs: tuple[Run, ...]
    lane_at: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A kind of step with its rows."""

    work: Work
    rows: list[Row]
    below: bool


def _same(row: Row) -> Row:
    return row


def _id(shape: Shape) -> Callable[[Row], Row]:
    (at,) = shape.key_at
    return lambda row: [row[at]]


_PLURAL: Final = {"entity": "entities", "value": "values", "episode": "episodes"}
_NODES: Final = {
    group: Work(f"{name} as they are in the lake", "nodes", ((f"mend_{name}", _same),))
    for group, name in _PLURAL.items()
}
_REPLACED: Final = {
    BELIEF: Work(
        "edges between entities put right",
        "edges_opened",
        (("remove_beliefs", _id(BELIEF)), ("open_belief", _same)),
    ),
    ATTRIBUTE: Work(
        "edges to values put right",
        "edges_opened",
        (("remove_beliefs", _id(ATTRIBUTE)), ("open_attribute", _same)),
    ),
    CONFIRMS: Work(
        "confirmations put right",
        "edges_opened",
        (("remove_supports", _id(CONFIRMS)), ("open_confirms", _same)),
        lane_at=1,
    ),
    MENTIONS: Work(
        "mentions put right",
        "edges_opened",
        (("remove_mentions", lambda row: row[:2]), ("first_mentions", _same)),
        lane_at=1,
    ),
}
_CLOSING: Final = {
    BELIEF: Work("edges between entities closed", "edges_closed", (MEND_EDGE,)),
    ATTRIBUTE: Work("edges to values closed", "edges_closed", (MEND_EDGE,)),
    CONFIRMS: Work("confirmations closed", "edges_closed", (MEND_CONFIRMS,), lane_at=1),
}
_FOREIGN: Final = {
    "belief": Work("foreign edges removed", "removed", (("remove_foreign_beliefs", _same),)),
    "confirms": Work(
        "foreign confirmations removed", "removed", (("remove_foreign_supports", _same),)
    ),
    "mentions": Work("foreign mentions removed", "removed", (("remove_mentions", _same),)),
}
_GONE: Final = {
    group: Work(f"foreign {name} removed", "removed", ((f"remove_{name}", _same),))
    for group, name in _PLURAL.items()
}
_TWINS: Final = Work("nodes that were there twice", "removed", (("remove_twins", _same),))
_ORDER: Final = tuple(
    work for works in (_NODES, _REPLACED, _CLOSING, _FOREIGN, _GONE) for work in works.values()
)
"""Nodes before edges, and what is removed last: so each step finds what it needs."""


def twins(findings: Iterable[Finding]) -> Step | None:
    """The step that leaves one of each node that is there twice; edges of the others go with them.

    Only without its constraint can a node be there twice. Compare again behind it.
    """
    rows = {
        ascii(row): row
        for one in findings
        if one.kind is Kind.DOUBLED and not one.shape.edge and one.have is not None
        if (row := [one.have[0], one.shape.name])
    }
    return Step(_TWINS, list(rows.values()), below=True) if rows else None


def plan(findings: Iterable[Finding], watermark: int | None) -> list[Step]:
    """The steps that make the differences go, in order; below only where readers read at all."""
    rows: defaultdict[tuple[Work, bool], dict[str, Row]] = defaultdict(dict)
    for one in findings:
        work, row = _mended(one)
        below = watermark is not None and not _above(one, work, watermark)
        rows[work, below].setdefault(ascii(row), row)
    return [
        Step(work, list(rows[work, below].values()), below)
        for below in (False, True)
        for work in _ORDER
        if (work, below) in rows
    ]


def _mended(one: Finding) -> tuple[Work, Row]:
    shape = one.shape
    if one.want is None:
        assert one.have is not None
        return _removed(shape, one.have)
    row = one.want[:-1]
    if not shape.edge:
        at = shape.at("labels")
        too_many = [] if one.have is None else _too_many(one.have[at], row[at])
        kept = row if shape is ENTITY_NODE else row[:at]
        return _NODES[shape.group], [*kept, too_many]
    return (_CLOSING if _closed_only(one) else _REPLACED)[shape], row


def _removed(shape: Shape, have: Row) -> tuple[Work, Row]:
    if not shape.edge:
        return _GONE[shape.group], have[:1]
    if shape is MENTIONS:
        return _FOREIGN[shape.group], have[:2]
    name = have[shape.key_at[0]]
    return _FOREIGN[shape.group], [have[0], name if isinstance(name, str) else None]


def _too_many(there: object, wanted: object) -> list[object]:
    assert isinstance(there, list) and isinstance(wanted, list)
    return [label for label in there if label not in wanted]


def _closed_only(one: Finding) -> bool:
    """True when nothing but what a closing changes differs, and no property is too many."""
    shape, want, have = one.shape, one.want, one.have
    if one.kind is not Kind.ALTERED or one.as_shape is not None or shape not in _CLOSING:
        return False
    assert want is not None and have is not None
    changing = {"recorded_to"} if shape is CONFIRMS else _CLOSED
    stated = sum(value is not None for value in have[2:-1])
    return have[-1] == stated and all(
        column in changing or ascii(a) == ascii(b)
        for column, a, b in zip(shape.columns[:-1], want[:-1], have[:-1], strict=True)
    )


def _above(one: Finding, work: Work, watermark: int) -> bool:
    """True when no reader at the watermark can tell."""
    shape, want, have = one.shape, one.want, one.have
    if want is None:
        return False
    if not shape.edge:
        return have is None or (shape.group == "entity" and have[3] == "" and have[:3] == want[:3])
    if one.kind is Kind.MISSING:
        return _number(want, shape, "recorded_from") > watermark
    if have is None or work not in _CLOSING.values():
        return False
    ends = (_number(row, shape, "recorded_to") for row in (want, have))
    at = shape.at("classification")
    return all(end > watermark for end in ends) and want[at] == have[at]


def _number(row: Row, shape: Shape, column: str) -> int:
    """An instant of a row; of something else nothing is above the watermark."""
    value = row[shape.at(column)]
    return value if isinstance(value, int) else -(1 << 62)
