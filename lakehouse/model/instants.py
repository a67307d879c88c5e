"""Instants are int64 microseconds since 1970-01-01T00:00Z; open ends are sentinels, never null.

A period is half-open: `valid_from <= t < valid_to`. The two open ends of a valid period are
different values, `UNTIL_CHANGED` and `FOREVER`, that compare alike with every real instant.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final

from lakehouse.model.errors import InputError

FOREVER: Final = 2**61
"""Explicit open end; as `recorded_to`: still believed."""
UNTIL_CHANGED: Final = 2**61 - 1
"""Open end that yields to what begins later."""
ALWAYS: Final = -(2**61)
"""Open start: before every instant."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_LEAP_SECOND: Final = 60
_SIXTY: Final = 60
_MOST_HOURS: Final = 18
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,12}))?)?"
    r"(Z|[+-]\d{2}:?\d{2}(?::?\d{2})?)?",
    re.ASCII,
)
FIRST: Final = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""The first and the last instant that can be written as a date."""


def is_open(instant: int) -> bool:
    """True for either open end and for the open start."""
    return not ALWAYS < instant < UNTIL_CHANGED


def from_datetime(moment: datetime) -> int:
    """Microseconds UTC of an aware datetime; InputError for a naive one."""
    if moment.tzinfo is None:
        raise InputError(
            f"local time {moment.isoformat()} has no offset",
            remedy="Give an offset (…Z or …+02:00) or name the zone that is meant.",
        )
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(instant: int) -> datetime:
    """Aware UTC datetime of a real (not open) instant."""
    return _EPOCH + timedelta(microseconds=instant)


def from_date(day: date, zone: tzinfo = UTC) -> int:
    """The instant with which `day` begins in `zone`, in microseconds UTC.

    Its midnight; the earlier of two; the end of a gap that begins at midnight. InputError for a
    day that has no such beginning (one that was left out, or a gap that began the day before).
    """
    midnight = datetime(day.year, day.month, day.day)
    if day > date.min:
        begins = from_datetime(midnight.replace(tzinfo=zone, fold=0))
        first, before = (to_datetime(at).astimezone(zone).date() for at in (begins, begins - 1))
        if before < day == first:
            return begins
    return from_local(midnight, zone)


def from_local(local: datetime, zone: tzinfo, fold: int | None = None) -> int:
    """Microseconds UTC of a naive local time in `zone` (PEP 495).

    A time inside a gap is refused; one inside a fold needs `fold` (0 the earlier, 1 the later).
    """
    earlier, later = local.replace(tzinfo=zone, fold=0), local.replace(tzinfo=zone, fold=1)
    first, second = earlier.utcoffset(), later.utcoffset()
    if first == second:
        return from_datetime(earlier)
    if first is not None and second is not None and first < second:
        raise InputError(
            f"local time {local.isoformat()} does not exist in {zone} (clocks went forward)",
            remedy="Give the instant with its offset.",
        )
    if fold is None:
        raise InputError(
            f"local time {local.isoformat()} occurs twice in {zone} (clocks went back)",
            remedy="Give the instant with its offset, or declare which one is meant.",
        )
    return from_datetime(later if fold else earlier)


def parse(text: str, zone: tzinfo | None = None) -> int:
    """ISO-8601 text to microseconds UTC.

    A bare date is the midnight of `zone` (UTC when none is given). A time without offset needs
    `zone`. Finer digits than microseconds floor; second 60 becomes the next second. InputError
    names the text when it is neither.
    """
    plain = text.strip()
    if _DATE.fullmatch(plain):
        return _in_calendar(from_date(_day(plain), zone or UTC), text)
    found = _INSTANT.fullmatch(plain)
    if not found:
        raise InputError(
            f"{text!r} is not an instant",
            remedy="Write 2023-06-01 or 2023-06-01T12:00:00Z (ISO-8601 with an offset).",
        )
    return _in_calendar(_combine(plain, found, zone), text)


def _in_calendar(instant: int, text: str) -> int:
    if FIRST <= instant <= LAST:
        return instant
    raise InputError(
        f"{text!r} lies outside the years 1 to 9999 in UTC",
        remedy="Leave the bound out, or say that it is always or forever.",
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as wrong:
        raise InputError(
            f"{text!r} is not a day of the calendar", remedy="Write a date as YYYY-MM-DD."
        ) from wrong


def _combine(text: str, found: re.Match[str], zone: tzinfo | None) -> int:
    day, hour, minute, second, fraction, offset = found.groups()
    seconds = int(second or 0)
    leap = seconds == _LEAP_SECOND
    try:
        local = datetime.combine(_day(day), datetime.min.time()).replace(
            hour=int(hour), minute=int(minute), second=59 if leap else seconds
        )
    except ValueError as wrong:
        raise InputError(f"{text!r} is not a time of day", remedy="Hours go 00 to 23.") from wrong
    micros = 1_000_000 if leap else int((fraction or "0").ljust(6, "0")[:6])
    if offset:
        return from_datetime(local.replace(tzinfo=UTC)) - _offset(offset) + micros
    if zone is None:
        return from_datetime(local) + micros
    return from_local(local, zone) + micros


def _offset(text: str) -> int:
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "")
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4]), int(digits[4:6] or 0)
    if max(minutes, seconds) >= _SIXTY or (hours, minutes, seconds) > (_MOST_HOURS, 0, 0):
        raise InputError(
            f"{text!r} is not an offset from UTC", remedy="Offsets lie within -18:00 and +18:00."
        )
    total = (hours * 3600 + minutes * 60 + seconds) * 1_000_000
    return -total if text[0] == "-" else total


def show(instant: int) -> str:
    """ISO-8601 UTC text of an instant; `-∞`, `∞` and `∞ (until changed)` for the open ends."""
    if instant <= ALWAYS:
        return "-∞"
    if instant >= FOREVER:
        return "∞"
    if instant == UNTIL_CHANGED:
        return "∞ (until changed)"
    if not FIRST <= instant <= LAST:
        return f"{instant} µs"
    text = to_datetime(instant).isoformat(timespec="auto")
    return text.replace("+00:00", "Z")
