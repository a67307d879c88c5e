"""How long a source's rows are kept: for ever, or a stated time not below its compliance floor.

A year is 366 days, so that it is never short of one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

FOREVER: Final = "forever"
_TIME: Final = re.compile(r"([1-9]\d{0,4}) (day|year)s?", re.ASCII)
_DAYS: Final = {"day": 1, "year": 366}


@dataclass(frozen=True, slots=True)
class Retention:
    """Days that rows are kept at most (None: for ever), and at least."""

    keep: int | None = None
    floor: int = 0

    @staticmethod
    def from_declaration(body: Mapping[str, Any]) -> Retention:
        """What a source's recorded declaration states."""
        stated = body.get("retention") or {}
        return Retention(days(stated.get("keep", FOREVER)), days(stated.get("floor", FOREVER)) or 0)


def days(text: str) -> int | None:
    """Days of `90 days` or `7 years`, None for `forever`; ValueError for any other text."""
    if text == FOREVER:
        return None
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return int(found[1]) * _DAYS[found[2]]
