"""A record is one JSON object; its numbers keep the digits that were written.

Also here: the words for trust and classification that records carry.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Final, TypeGuard

from lakehouse.model.errors import InputError
from lakehouse.model.statements import CLASSIFICATION, TRUST


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is not a number of JSON")


_DECODER: Final = json.JSONDecoder(parse_float=Decimal, parse_constant=_no_number)


def record_of(payload: bytes) -> dict[str, Any]:
    """The JSON object of a payload, fractions as Decimal; InputError where it is none."""
    try:
        found = _DECODER.decode(payload.decode("utf-8"))
    except UnicodeDecodeError as wrong:
        raise InputError(
            f"not UTF-8 text: byte {wrong.start + 1} of the line",
            remedy="Convert the file to UTF-8.",
        ) from wrong
    except RecursionError as wrong:
        raise InputError("nested too deeply", remedy="Flatten the record.") from wrong
    except ValueError as wrong:
        raise InputError(f"not JSON: {wrong}", remedy="One JSON object a line.") from wrong
    if not isinstance(found, dict):
        raise InputError(
            f"a {type(found).__name__}, not a JSON object", remedy="One JSON object a line."
        )
    return found


def is_text(found: object) -> TypeGuard[str]:
    """Whether it is a text, not empty, that UTF-8 can write (JSON may escape half a character)."""
    return isinstance(found, str) and found != "" and not _halved(found)


def _halved(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def level(field: str, stated: object) -> int:
    """The level of a word of `trust` or `classification`; InputError lists the known words."""
    words = TRUST if field == "trust" else CLASSIFICATION
    if isinstance(stated, str) and stated in words:
        return words[stated]
    raise InputError(
        f"{stated!r} is no {field}", remedy=f"Known: {', '.join(words)}; use a map to translate."
    )
