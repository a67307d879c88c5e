"""A value has one canonical text per object kind, so that equal values are equal texts.

Text that says the same number differently is not unified: a decimal stays as its source wrote
it (`1.0` is not `1.00`), for the digits are part of what was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from lakehouse.model.errors import InputError
from lakehouse.model.instants import show
from lakehouse.model.statements import ENTITY
from pipelines.extract.periods import Calendar
from pipelines.extract.records import is_text

LONGEST_ID: Final = 1_000
"""Characters of an id; the graph indexes ids whole."""
_INTEGER: Final = re.compile(r"[+-]?\d{1,1000}", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def canonical(kind: str, stated: object, calendar: Calendar) -> str:
    """The canonical text of a stated value of that object kind; InputError where it is none."""
    text = _BY_KIND[kind](stated, calendar)
    if text and not is_text(text):
        raise InputError(
            f"{stated!r} holds half a character (a lone surrogate)",
            remedy="Correct the text at its source.",
        )
    return text


def _wrong(stated: object, kind: str, remedy: str) -> InputError:
    return InputError(f"{stated!r} is not {kind}", remedy=remedy)


def _entity(stated: object, _: Calendar) -> str:
    plain = isinstance(stated, str) and stated and stated == stated.strip()
    if isinstance(stated, str) and plain and stated.isprintable() and len(stated) <= LONGEST_ID:
        return stated
    raise _wrong(
        stated,
        "an entity's id",
        'Build it as text: {text: "site:{id}"}, no blanks around, '
        f"at most {LONGEST_ID:,} characters.",
    )


def _string(stated: object, _: Calendar) -> str:
    if isinstance(stated, str):
        return stated
    raise _wrong(stated, "text", 'Say {text: "{field}"} to state a number as text.')


def _integer(stated: object, _: Calendar) -> str:
    if isinstance(stated, int) and not isinstance(stated, bool):
        return str(stated)
    if isinstance(stated, str) and _INTEGER.fullmatch(stated.strip()):
        return str(int(stated))
    raise _wrong(stated, "an integer", "Declare the predicate as decimal or string.")


def _decimal(stated: object, _: Calendar) -> str:
    if isinstance(stated, (int, Decimal)) and not isinstance(stated, bool):
        return str(stated)
    if isinstance(stated, str) and _DECIMAL.fullmatch(stated.strip()):
        return stated.strip()
    raise _wrong(stated, "a decimal number", "Declare the predicate as string.")


def _boolean(stated: object, _: Calendar) -> str:
    if isinstance(stated, bool):
        return "true" if stated else "false"
    if stated in ("true", "false"):
        return str(stated)
    raise _wrong(stated, "true or false", "Give the expression a map to true and false.")


def _date(stated: object, _: Calendar) -> str:
    remedy = "Write a day of the calendar as YYYY-MM-DD."
    if not isinstance(stated, str) or not _DAY.fullmatch(stated.strip()):
        raise _wrong(stated, "a date", remedy)
    try:
        return date.fromisoformat(stated.strip()).isoformat()
    except ValueError as wrong:
        raise _wrong(stated, "a date", remedy) from wrong


def _instant(stated: object, calendar: Calendar) -> str:
    return show(calendar.moment(stated))


_BY_KIND: Final[Mapping[str, Callable[[object, Calendar], str]]] = MappingProxyType(
    {
        ENTITY: _entity,
        "string": _string,
        "integer": _integer,
        "decimal": _decimal,
        "boolean": _boolean,
        "date": _date,
        "instant": _instant,
    }
)
