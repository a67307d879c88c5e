"""How long a source's rows are kept: for ever, or a stated time that its compliance floor allows.

Upkeep removes no row, whatever is stated here: snapshots expire, rows stay. The statement is
recorded with the source's declaration, for whoever erases what is due and for the auditor.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from pipelines.extract.checking import Section

_TIME: Final = re.compile(r"([1-9]\d{0,4}) (day|year)s?", re.ASCII)
_DAYS: Final = {"day": 1, "year": 366}
FOREVER: Final = "forever"


@dataclass(frozen=True, slots=True)
class Retention:
    """Days that rows are kept at most (None: for ever), and at least; a year is 366 days."""

    keep: int | None = None
    floor: int = 0


def retention(top: Section) -> Retention:
    """The section `retention` of a declaration; ConfigurationError where it is below its floor."""
    section = top.section("retention")
    keep, floor = _days(section, "keep"), _days(section, "floor")
    section.done()
    if keep is None:
        return Retention(None, floor or 0)
    if floor is None:
        raise section.wrong(
            "floor",
            "is not stated in days or years, though rows are not kept for ever",
            "State the least time that law or contract asks for: floor: 7 years.",
        )
    if keep < floor:
        raise section.wrong(
            "keep",
            f"is {keep} days, below the compliance floor of {floor} days",
            "Keep rows at least as long as the floor says, or forever.",
        )
    return Retention(keep, floor)


def _days(section: Section, key: str) -> int | None:
    text = section.text(key, FOREVER)
    if text == FOREVER:
        return None
    found = _TIME.fullmatch(text)
    if found is None:
        raise section.wrong(key, f"is {text!r}", "Write forever, 90 days or 7 years.")
    return int(found[1]) * _DAYS[found[2]]
