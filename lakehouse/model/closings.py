"""Why a piece was closed, and by which statement (DESIGN section 3.8).

`corrected`: another value now holds over all of the period. `changed`: another value begins
inside it and the head survives. Otherwise the operation that took hold says it: ended, retracted,
withdrawn, marked; an assertion that replaced only the head, or made others hear something else
over a part, corrects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lakehouse.model.beliefs import Reason
from lakehouse.model.causes import Causes
from lakehouse.model.painting import Value
from lakehouse.model.spans import Span
from lakehouse.model.statements import Operation, Statement

BY_OPERATION: Mapping[Operation, Reason] = {
    Operation.ASSERT: Reason.CORRECTED,
    Operation.END: Reason.ENDED,
    Operation.RETRACT: Reason.RETRACTED,
    Operation.WITHDRAW: Reason.WITHDRAWN,
    Operation.MARK: Reason.MARKED,
}


class Ground(NamedTuple):
    """What is on top over one stretch: the last painter (None: never painted), and what it says."""

    painter: Statement | None
    value: Value | None


def why(
    span: Span, value: Value, grounds: Iterable[Sequence[Ground]], causes: Causes
) -> tuple[Reason, str]:
    """The reason and the id of the closing statement of a piece that is no longer so.

    `grounds` are what each of its audiences now has over `span`, in order.
    """
    for stretches in grounds:
        other = [ground for ground in stretches if _says_other(ground, value)]
        if len(other) == len(stretches):
            return Reason.CORRECTED, _closer(other[0], span, causes)
        if other and stretches[0].value == value:
            return Reason.CHANGED, _closer(other[0], span, causes)
    last = causes.last_silencing(span)
    return BY_OPERATION[last.op], last.statement_id


def _says_other(ground: Ground, value: Value) -> bool:
    return ground.value is not None and ground.value != value


def _closer(ground: Ground, span: Span, causes: Causes) -> str:
    """The painter if it took hold now, else the last statement that did."""
    if ground.painter is not None and causes.has(ground.painter):
        return ground.painter.statement_id
    return causes.last(span).statement_id
