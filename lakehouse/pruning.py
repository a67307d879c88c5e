"""Filters in two languages: Iceberg's prunes files (inexact), Arrow's chooses rows (exact)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import reduce
from operator import or_
from typing import Any, Final, cast

import pyarrow as pa
import pyarrow.dataset as ds
from pyiceberg.expressions import (
    And,
    BooleanExpression,
    EqualTo,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThanOrEqual,
    Or,
)

_MOST_NAMED: Final = 200
"""PyIceberg prunes files by a list of values up to this length."""

_Compare = Callable[[str, object], BooleanExpression]
# The classes take positions; their declared signature, made for pydantic, does not say so.
equal_to: Final = cast(_Compare, EqualTo)
"""Prunes to files that may hold the value."""
is_null: Final = cast(Callable[[str], BooleanExpression], IsNull)
"""Prunes to files that may hold a null."""
_one_of: Final = cast(_Compare, In)
_at_least: Final = cast(_Compare, GreaterThanOrEqual)
_at_most: Final = cast(_Compare, LessThanOrEqual)


def among(column: str, names: Collection[str]) -> BooleanExpression:
    """Prunes to files that may hold one of these (at least one) names."""
    if len(names) <= _MOST_NAMED:
        return _one_of(column, sorted(names))
    return And(_at_least(column, min(names)), _at_most(column, max(names)))


def is_in(column: str, names: Collection[str]) -> Any:
    """Chooses rows whose column is one of these, as an Arrow expression."""
    return ds.field(column).isin(pa.array(list(names), pa.large_string()))


is_unnamed: Final[Any] = ds.field("subject").is_null()
"""Chooses rows without a subject, as an Arrow expression."""


def is_equal(column: str, value: str | int) -> Any:
    """Chooses rows whose column is this, as an Arrow expression."""
    return ds.field(column) == value


def reach(subjects: set[str], ids: set[str]) -> tuple[BooleanExpression | None, Any]:
    """What prunes and what chooses statements that name one of these."""
    parts = [is_in("target", subjects | ids)]
    if subjects:
        parts.append(is_in("subject", subjects))
    if ids:
        parts += [is_in("statement_id", ids), is_in("episode_id", ids)]
        return None, reduce(or_, parts)
    return Or(among("subject", subjects), is_null("subject")), reduce(or_, parts)
