"""The retention that a declaration states, refused where it is below its compliance floor.

Upkeep removes no row, whatever is stated here: `beliefgraph lake retention` tells what is due, for
whoever erases it and for the auditor.
"""

from __future__ import annotations

from lakehouse.model.retention import FOREVER, Retention, days
from pipelines.extract.checking import Section


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
    stated = section.text(key, FOREVER)
    try:
        return days(stated)
    except ValueError as wrong:
        raise section.wrong(key, f"is {stated!r}", "Write forever, 90 days or 7 years.") from wrong
