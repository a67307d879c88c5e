"""A compiled time-zone file read by its own rules (RFC 9636), to the second.

The table says which local time begins at which instant; after its last entry the footer, a
POSIX TZ string, goes on for ever. Before its first entry local time is type 0.
All instants are whole seconds since 1970-01-01T00:00Z, all offsets seconds east of UTC.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final, NamedTuple

from lakehouse.model.errors import InputError

_HEADER: Final = struct.Struct(">4sc15x6l")
_TYPE: Final = struct.Struct(">l?B")
_NAME: Final = r"(<[A-Za-z0-9+-]+>|[A-Za-z]+)"
_HOURS: Final = r"([+-]?\d+(?::\d+){0,2})"
_RULE: Final = re.compile(rf"([^,/]+)(?:/{_HOURS})?")
_FOOTER: Final = re.compile(rf"{_NAME}{_HOURS}(?:{_NAME}{_HOURS}?,([^,]+),([^,]+))?")
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
_DAY: Final = 86_400

YearlyInstant = Callable[[int], int]
"""Local seconds since the epoch at which a yearly rule strikes, given the year."""


class LocalTime(NamedTuple):
    """What clocks show: offset in seconds east of UTC, daylight-saving flag, abbreviation."""

    offset: int
    is_dst: bool
    abbreviation: str


class Step(NamedTuple):
    """From this second on, this local time."""

    begins: int
    local: LocalTime


@dataclass(frozen=True, slots=True)
class _Table:
    instants: list[int]
    locals: list[LocalTime]
    first: LocalTime
    footer: str


def steps(data: bytes, begin: int, end: int) -> list[Step]:
    """Every change of local time in [begin, end), led by the local time at `begin`."""
    table = _read(data)
    at = bisect_right(table.instants, begin) - 1
    found = [Step(begin, table.locals[at] if at >= 0 else table.first)]
    found += [
        Step(instant, local)
        for instant, local in zip(table.instants[at + 1 :], table.locals[at + 1 :], strict=True)
        if instant < end
    ]
    if table.footer and (not table.instants or table.instants[-1] < end):
        after = table.instants[-1] if table.instants else None
        found = _continue(found, table.footer, after, begin, end)
    return found


def _continue(
    found: list[Step], footer: str, after: int | None, begin: int, end: int
) -> list[Step]:
    """Add what the footer says of every second after the table's last.

    Files are made so that it agrees there with the table. One is not (America/Ojinaga from
    2022.7 to 2023.3, one week); readers of such files, Python's among them, take the footer's word.
    """
    first_year = datetime.fromtimestamp(begin, UTC).year - 1
    last_year = datetime.fromtimestamp(end, UTC).year + 1
    start = begin if after is None else max(begin, after + 1)
    changes = footer_steps(footer, first_year, last_year)
    at = bisect_right([step.begins for step in changes], start) - 1
    return found + [
        Step(max(step.begins, start), step.local)
        for step in changes[max(at, 0) :]
        if step.begins < end
    ]


def footer_steps(footer: str, first_year: int, last_year: int) -> list[Step]:
    """The changes a POSIX TZ string makes in these years, both included, in order."""
    match = _FOOTER.fullmatch(footer)
    if match is None:
        raise InputError(f"Not a POSIX TZ string with its rules: {footer!r}.", footer=footer)
    std_name, std_west, dst_name, dst_west, begins, ends = match.groups()
    standard = LocalTime(-_seconds(std_west), False, std_name.strip("<>"))
    if dst_name is None:
        return []
    ahead = standard.offset + 3600 if dst_west is None else -_seconds(dst_west)
    daylight = LocalTime(ahead, True, dst_name.strip("<>"))
    to_daylight, to_standard = _yearly(begins), _yearly(ends)
    found: list[Step] = []
    for year in range(first_year, last_year + 1):
        found.append(Step(to_daylight(year) - standard.offset, daylight))
        found.append(Step(to_standard(year) - daylight.offset, standard))
    # Where one period ends at the very instant the next begins, daylight time goes on.
    found.sort(key=lambda step: (step.begins, step.local.is_dst))
    return list({step.begins: step for step in found}.values())


def _yearly(rule: str) -> YearlyInstant:
    """A rule of a POSIX TZ string: `Mm.w.d`, `Jn` or `n`, with `/time` where it is not 02:00."""
    match = _RULE.fullmatch(rule)
    if match is None:
        raise InputError(f"Not a rule of a POSIX TZ string: {rule!r}.", rule=rule)
    day, clock = match.groups()
    second = 7200 if clock is None else _seconds(clock)
    if day.startswith("M"):
        month, week, weekday = (int(part) for part in day[1:].split("."))
        return lambda year: _weekday_of_month(year, month, week, weekday) * _DAY + second
    if day.startswith("J"):
        return lambda year: _julian_day(year, int(day[1:])) * _DAY + second
    return lambda year: (_days(date(year, 1, 1)) + int(day)) * _DAY + second


def _weekday_of_month(year: int, month: int, week: int, weekday: int) -> int:
    """Day number of the week-th weekday (0 = Sunday) of a month; week 5 is the last one."""
    first = date(year, month, 1)
    day = _days(first) + (weekday - first.isoweekday()) % 7 + (week - 1) * 7
    following = date(year + month // 12, month % 12 + 1, 1)
    return day if day < _days(following) else day - 7


def _julian_day(year: int, number: int) -> int:
    """Day number of `Jn`: 29 February is never counted, so 60 is always 1 March."""
    in_common_year = date.fromordinal(date(2001, 1, 1).toordinal() + number - 1)
    return _days(in_common_year.replace(year=year))


def _days(day: date) -> int:
    return day.toordinal() - _EPOCH_DAY


def _seconds(clock: str) -> int:
    """`[+-]h[h[h]][:mm[:ss]]` in seconds."""
    hours, minutes, seconds = ([int(part) for part in clock.lstrip("+-").split(":")] + [0, 0])[:3]
    total = hours * 3600 + minutes * 60 + seconds
    return -total if clock.startswith("-") else total


def _read(data: bytes) -> _Table:
    """The 64-bit block of the file and its footer."""
    try:
        magic, version, *counts = _HEADER.unpack_from(data)
        if magic != b"TZif" or version < b"2":
            raise InputError("Not a compiled time-zone file of version 2 or later.")
        _, version, *counts64 = _HEADER.unpack_from(data, _HEADER.size + _block_size(counts, 4))
        offset = 2 * _HEADER.size + _block_size(counts, 4)
        _, _, _, times, types, chars = counts64
        instants = list(struct.unpack_from(f">{times}q", data, offset))
        offset += times * 8
        indices = data[offset : offset + times]
        offset += times
        raw = [_TYPE.unpack_from(data, offset + at * _TYPE.size) for at in range(types)]
        offset += types * _TYPE.size
        names = data[offset : offset + chars]
        local = [
            LocalTime(east, is_dst, names[at : names.index(b"\0", at)].decode("ascii"))
            for east, is_dst, at in raw
        ]
        footer_at = 2 * _HEADER.size + _block_size(counts, 4) + _block_size(counts64, 8)
        footer = data[footer_at:].decode("ascii").strip("\n")
        return _Table(instants, [local[at] for at in indices], local[0], footer)
    except (struct.error, IndexError, ValueError) as error:
        raise InputError("The compiled time-zone file is damaged.", reason=error) from error


def _block_size(counts: list[int], width: int) -> int:
    """Bytes of a data block whose instants are `width` bytes wide (4, then 8)."""
    is_ut, is_std, leaps, times, types, chars = counts
    return times * (width + 1) + types * _TYPE.size + chars + leaps * (width + 4) + is_std + is_ut
