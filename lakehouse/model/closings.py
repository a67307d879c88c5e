"""Why a piece was closed, and by which statement (DESIGN section 3.8).

`corrected`: another value now holds over all of the period. `changed`: another value begins
inside it and the head survives. Otherwise the operation that took hold says it: ended, retracted,
withdrawn, marked; an assertion that replaced only the head, or made others hear something else
over a part, corrects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from lakehouse.model.beliefs import Reason
from lakehouse.model.painting import Segment, Span
from lakehouse.model.pieces import Audience, Shape
from lakehouse.model.statements import Operation, Statement

_BY_OPERATION: Mapping[Operation, Reason] = {
    Operation.ASSERT: Reason.CORRECTED,
    Operation.END: Reason.ENDED,
    Operation.RETRACT: Reason.RETRACTED,
    Operation.WITHDRAW: Reason.WITHDRAWN,
    Operation.MARK: Reason.MARKED,
}

Cause = tuple[Statement, Span]
"""A statement that took hold at this recorded instant, and the valid span it reaches."""


def why(
    shape: Shape,
    value: tuple[str, str | None] | None,
    audiences: Iterable[Audience],
    causes: Sequence[Cause],
) -> tuple[Reason, str]:
    """The reason and the id of the closing statement of a piece that is no longer so."""
    reaching = took_hold(shape, causes)
    for audience in audiences:
        if audience.mask & shape.mask:
            segments = list(audience.canvas.segments((shape.start, shape.end)))
            other = [segment for segment in segments if _says_other(segment, value)]
            if len(other) == len(segments):
                return Reason.CORRECTED, _closer(other[0], reaching)
            if other and _says(segments[0], value):
                return Reason.CHANGED, _closer(other[0], reaching)
    silenced = [
        statement for statement in reaching if statement.op is not Operation.ASSERT
    ] or reaching
    last = max(silenced, key=lambda statement: statement.order)
    return _BY_OPERATION[last.op], last.statement_id


def took_hold(shape: Shape, causes: Sequence[Cause]) -> list[Statement]:
    """The statements that reach the piece, or that touch it (a neighbour merges with it)."""
    return [
        statement for statement, (start, end) in causes if start < shape.end and shape.start < end
    ] or [
        statement for statement, (start, end) in causes if start <= shape.end and shape.start <= end
    ]


def _says(segment: Segment, value: tuple[str, str | None] | None) -> bool:
    return segment.layer is not None and segment.layer.value == value


def _says_other(segment: Segment, value: tuple[str, str | None] | None) -> bool:
    layer = segment.layer
    return layer is not None and layer.value is not None and layer.value != value


def _closer(segment: Segment, reaching: Sequence[Statement]) -> str:
    """The painter if it took hold now, else the last statement that did."""
    assert segment.layer is not None
    painter = segment.layer.painter
    if any(statement.statement_id == painter.statement_id for statement in reaching):
        return painter.statement_id
    return max(reaching, key=lambda statement: statement.order).statement_id
