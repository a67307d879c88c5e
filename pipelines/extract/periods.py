"""Periods as a source writes them: in its zone, with ends inclusive or not.

A date is the midnight of the declared zone that begins it; an inclusive end given as a date is
the midnight after it. A local time that occurs twice needs the declared choice.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED, parse

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_REMEMBERED: Final = 1 << 16

FOLDS: Final = ("earlier", "later")
"""Which of two equal local times is meant, where clocks went back."""
OPEN_STARTS: Final = {"always": ALWAYS}
OPEN_ENDS: Final = {"forever": FOREVER, "until_changed": UNTIL_CHANGED}


class Chosen(tzinfo):
    """A zone in which every local time that occurs twice is the declared one of the two.

    Gaps stay as they are, so that a time inside one is still refused.
    """

    def __init__(self, zone: tzinfo, fold: str) -> None:
        self._zone = zone
        self._fold = FOLDS.index(fold)

    def utcoffset(self, moment: datetime | None, /) -> timedelta | None:
        """The offset of that local time in the zone, its fold decided."""
        return self._of(moment).utcoffset()

    def dst(self, moment: datetime | None, /) -> timedelta | None:
        """As the zone says for that local time."""
        return self._of(moment).dst()

    def tzname(self, moment: datetime | None, /) -> str | None:
        """As the zone says for that local time."""
        return self._of(moment).tzname()

    def __str__(self) -> str:
        return str(self._zone)

    def _of(self, moment: datetime | None) -> datetime:
        if moment is None:
            raise TypeError("a zone with folds has no offset without a local time")
        local = moment.replace(tzinfo=self._zone)
        first, second = (local.replace(fold=fold).utcoffset() for fold in (0, 1))
        twice = first is not None and second is not None and first > second
        return local.replace(fold=self._fold) if twice else local


@dataclass(frozen=True, slots=True)
class Calendar:
    """How a source writes instants: `zone` (IANA name), `fold` (a word of FOLDS, or None)."""

    zone: str = "UTC"
    fold: str | None = None
    instant: Callable[[str], int] = field(init=False, repr=False, compare=False)
    """Text to microseconds UTC; InputError where it is none. Repeated texts are remembered."""

    def __post_init__(self) -> None:
        zone: tzinfo = UTC if self.zone == "UTC" else ZoneInfo(self.zone)
        if self.fold is not None:
            zone = Chosen(zone, self.fold)

        @lru_cache(_REMEMBERED)
        def instant(text: str) -> int:
            return parse(text, zone)

        object.__setattr__(self, "instant", instant)

    def moment(self, stated: object) -> int:
        """A stated instant or date in microseconds UTC; InputError for anything but such text."""
        if not isinstance(stated, str):
            raise InputError(
                f"{stated!r} is not an instant",
                remedy="Write it as text: 2023-06-01 or 2023-06-01T12:00:00Z.",
            )
        return self.instant(stated)

    def start(self, stated: object) -> int | None:
        """A stated start; None where none was stated, `ALWAYS` for the word `always`."""
        if stated is None:
            return None
        if isinstance(stated, str) and stated in OPEN_STARTS:
            return OPEN_STARTS[stated]
        return self.moment(stated)

    def end(self, stated: object, inclusive: bool) -> int | None:
        """A stated exclusive end; None where none was stated (until changed).

        The words are `forever` and `until_changed`. With `inclusive` a date means the midnight
        after it; an instant is taken as it stands.
        """
        if stated is None:
            return None
        if isinstance(stated, str):
            if stated in OPEN_ENDS:
                return OPEN_ENDS[stated]
            if inclusive and _DAY.fullmatch(stated.strip()):
                return self.instant(_day_after(stated.strip()))
        return self.moment(stated)


def _day_after(text: str) -> str:
    parse(text)
    day = date.fromisoformat(text)
    if day == date.max:
        raise InputError(
            f"the day after {text} is beyond the calendar",
            remedy="Where it stands for an open end, map it to 'forever'.",
        )
    return (day + timedelta(days=1)).isoformat()
