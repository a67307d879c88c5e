"""Whose data a record holds, as its source declares it: how its payload is going to be kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from lakehouse.model.episodes import Protection
from lakehouse.model.errors import InputError
from pipelines.extract.declaration import Declaration
from pipelines.extract.records import is_text

_ENCRYPTED: Final = Protection()
_PLAIN: Final = Protection(encrypted=False)


def unread(declared: Declaration) -> Protection:
    """For a record that could not be read: whom it concerns is not known."""
    return _ENCRYPTED if declared.payload.encrypted else _PLAIN


def protection_of(declared: Declaration, record: dict[str, Any]) -> Protection:
    """For this record; InputError, with `field`, where what names a subject is no name."""
    rule = declared.payload
    if not rule.subjects:
        return unread(declared)
    named: dict[str, None] = {}
    for place, expression in enumerate(rule.subjects):
        field = f"payload.subjects[{place}]"
        try:
            named.update(dict.fromkeys(_names(expression.source, expression(record, record))))
        except InputError as wrong:
            raise InputError(
                f"{field}: {wrong.message}", remedy=wrong.remedy, field=field
            ) from wrong
    return Protection(subjects=tuple(named))


def _names(source: str, found: object) -> Iterator[str]:
    for one in found if isinstance(found, list) else [found]:
        if one is None:
            continue
        if isinstance(one, int) and not isinstance(one, bool):
            yield str(one)
        elif is_text(one) and one.strip() == one:
            yield one
        else:
            raise InputError(
                f"{source} is {one!r}, which names nobody",
                remedy="A data subject is a text without blanks around, or an integer; "
                "null where there is none.",
            )
