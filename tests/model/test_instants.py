"""Instants at the borders of the calendar, of zones and of notation: each border has its name."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.errors import InputError
from lakehouse.model.instants import (
    ALWAYS,
    FIRST,
    FOREVER,
    LAST,
    UNTIL_CHANGED,
    from_date,
    from_local,
    parse,
    show,
    to_datetime,
)

NEW_YORK, TOKYO = ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")
SAO_PAULO, APIA = ZoneInfo("America/Sao_Paulo"), ZoneInfo("Pacific/Apia")
HAVANA, LORD_HOWE = ZoneInfo("America/Havana"), ZoneInfo("Australia/Lord_Howe")


class Border(NamedTuple):
    """Text of a source in its declared zone, and the instant it means, or why it means none."""

    name: str
    text: str
    zone: tzinfo | None
    means: str


READ = [
    Border("date, no zone declared", "2023-06-01", None, "2023-06-01T00:00:00Z"),
    Border("date west of Greenwich", "2023-06-01", NEW_YORK, "2023-06-01T04:00:00Z"),
    Border("date east of Greenwich", "2023-06-01", TOKYO, "2023-05-31T15:00:00Z"),
    Border("date on which clocks go forward", "2023-03-12", NEW_YORK, "2023-03-12T05:00:00Z"),
    Border("date after it", "2023-03-13", NEW_YORK, "2023-03-13T04:00:00Z"),
    Border("local time in a declared zone", "2023-06-01T09:00", TOKYO, "2023-06-01T00:00:00Z"),
    Border("offset beats the zone", "2023-06-01T09:00+00:00", TOKYO, "2023-06-01T09:00:00Z"),
    Border(
        "last before a gap", "2023-03-12T01:59:59.999999", NEW_YORK, "2023-03-12T06:59:59.999999Z"
    ),
    Border("first after a gap", "2023-03-12T03:00:00", NEW_YORK, "2023-03-12T07:00:00Z"),
    Border("gap of half an hour, after", "2023-10-01T02:30", LORD_HOWE, "2023-09-30T15:30:00Z"),
    Border("date that begins in a gap", "2018-11-04", SAO_PAULO, "2018-11-04T03:00:00Z"),
    Border("date that begins twice", "2023-11-05", HAVANA, "2023-11-05T04:00:00Z"),
    Border("offset of the last", "2024-01-01T00:00:00+18:00", None, "2023-12-31T06:00:00Z"),
    Border("day beside a day that never was", "2011-12-31", APIA, "2011-12-30T10:00:00Z"),
    Border(
        "last before a fold", "2023-11-05T00:59:59.999999", NEW_YORK, "2023-11-05T04:59:59.999999Z"
    ),
    Border("first after a fold", "2023-11-05T02:00:00", NEW_YORK, "2023-11-05T07:00:00Z"),
    Border("fold, offset given", "2023-11-05T01:30:00-04:00", NEW_YORK, "2023-11-05T05:30:00Z"),
    Border("fold, other offset", "2023-11-05T01:30:00-05:00", NEW_YORK, "2023-11-05T06:30:00Z"),
    Border("leap second", "2016-12-31T23:59:60Z", None, "2017-01-01T00:00:00Z"),
    Border("leap second elsewhere", "2017-01-01T08:59:60", TOKYO, "2017-01-01T00:00:00Z"),
    Border("leap second with an offset", "2016-12-31T18:59:60-05:00", None, "2017-01-01T00:00:00Z"),
    Border("inside a leap second", "2016-12-31T23:59:60.999Z", None, "2017-01-01T00:00:00Z"),
    Border("nanoseconds", "2023-06-01T00:00:00.123456999Z", None, "2023-06-01T00:00:00.123456Z"),
    Border(
        "nanoseconds before 1970 floor too",
        "1969-12-31T23:59:59.999999999Z",
        None,
        "1969-12-31T23:59:59.999999Z",
    ),
    Border("picoseconds", "2023-06-01T00:00:00.000000999999Z", None, "2023-06-01T00:00:00Z"),
    Border("first instant", "0001-01-01T00:00:00Z", None, "0001-01-01T00:00:00Z"),
    Border("first date", "0001-01-01", None, "0001-01-01T00:00:00Z"),
    Border("last date", "9999-12-31", None, "9999-12-31T00:00:00Z"),
    Border(
        "last instant", "9999-12-31T23:59:59.999999Z", None, "9999-12-31T23:59:59.999999Z"
    ),
    Border("leap day", "2024-02-29", None, "2024-02-29T00:00:00Z"),
    Border("no seconds", "2023-06-01T12:30Z", None, "2023-06-01T12:30:00Z"),
    Border("one digit of a second", "2023-06-01T12:30:00.5Z", None, "2023-06-01T12:30:00.500000Z"),
    Border("space for T", "2023-06-01 12:30:00+0200", None, "2023-06-01T10:30:00Z"),
    Border("offset with seconds", "1890-01-01T00:00:00-00:44:30", None, "1890-01-01T00:44:30Z"),
    Border("blanks around", "  2023-06-01\n", None, "2023-06-01T00:00:00Z"),
]  # fmt: skip

REFUSED = [
    Border("first of a gap", "2023-03-12T02:00:00", NEW_YORK, "does not exist"),
    Border("last of a gap", "2023-03-12T02:59:59.999999", NEW_YORK, "does not exist"),
    Border("inside half an hour", "2023-10-01T02:29", LORD_HOWE, "does not exist"),
    Border("midnight in a gap, told as a time", "2018-11-04T00:00", SAO_PAULO, "does not exist"),
    Border("day that never was", "2011-12-30", APIA, "does not exist"),
    Border("first of a fold", "2023-11-05T01:00:00", NEW_YORK, "occurs twice"),
    Border("last of a fold", "2023-11-05T01:59:59.999999", NEW_YORK, "occurs twice"),
    Border("midnight in a fold, told as a time", "2023-11-05T00:00", HAVANA, "occurs twice"),
    Border("offset of no place", "2024-01-01T00:00:00+99:99", None, "is not an offset"),
    Border("offset beyond the last", "2024-01-01T00:00:00-18:01", None, "is not an offset"),
    Border("no zone at all", "2023-06-01T12:00:00", None, "has no offset"),
    Border("before the first, by its zone", "0001-01-01", TOKYO, "outside the years"),
    Border("after the last, by its offset", "9999-12-31T23:00:00-02:00", None, "outside the years"),
    Border("after the last, by a leap second", "9999-12-31T23:59:60Z", None, "outside the years"),
    Border("year 0", "0000-12-31", None, "is not a day"),
    Border("year 10000", "10000-01-01", None, "is not an instant"),
    Border("before year 0", "-0001-01-01", None, "is not an instant"),
    Border("month 13", "2023-13-01", None, "is not a day"),
    Border("no leap year", "2023-02-29", None, "is not a day"),
    Border("hour 24", "2023-06-01T24:00:00Z", None, "is not a time"),
    Border("second 61", "2016-12-31T23:59:61Z", None, "is not a time"),
    Border("narrow month and day", "2023-6-1", None, "is not an instant"),
    Border("two digits of a year", "23-06-01", None, "is not an instant"),
    Border("no dashes", "20230601", None, "is not an instant"),
    Border("no digit behind the point", "2023-06-01T12:30:00.Z", None, "is not an instant"),
    Border("wide digits", "２０２３-06-01", None, "is not an instant"),
    Border("digits of another script", "٢٠٢٣-٠٦-٠١", None, "is not an instant"),
    Border("words", "now", None, "is not an instant"),
    Border("nothing", "", None, "is not an instant"),
]  # fmt: skip


def _named(border: Border) -> str:
    return border.name


@pytest.mark.parametrize("border", READ, ids=_named)
def test_what_is_meant(border: Border) -> None:
    assert show(parse(border.text, border.zone)) == border.means


@pytest.mark.parametrize("border", REFUSED, ids=_named)
def test_what_means_no_instant_is_refused_with_a_word(border: Border) -> None:
    with pytest.raises(InputError, match=border.means) as refused:
        parse(border.text, border.zone)
    assert refused.value.remedy


def test_the_calendar_has_a_first_and_a_last_instant() -> None:
    assert parse("0001-01-01T00:00:00Z") == FIRST
    assert parse("9999-12-31T23:59:59.999999Z") == LAST
    assert ALWAYS < FIRST < LAST < UNTIL_CHANGED < FOREVER


def test_what_was_recorded_outside_can_still_be_shown() -> None:
    assert show(LAST + 1).endswith("µs")
    assert show(FIRST - 1).endswith("µs")


def test_open_ends_are_told_apart() -> None:
    ends = (ALWAYS, UNTIL_CHANGED, FOREVER)
    assert [show(end) for end in ends] == ["-∞", "∞ (until changed)", "∞"]


def test_a_fold_has_two_instants_and_a_declared_choice_takes_one() -> None:
    twice = datetime(2023, 11, 5, 1, 30)
    earlier, later = (from_local(twice, NEW_YORK, fold) for fold in (0, 1))
    assert (show(earlier), show(later)) == ("2023-11-05T05:30:00Z", "2023-11-05T06:30:00Z")
    with pytest.raises(InputError, match="does not exist"):
        from_local(datetime(2023, 3, 12, 2, 30), NEW_YORK, 1)


def test_days_of_a_zone_meet_without_gap_or_overlap() -> None:
    """The days on which clocks change have 23 and 25 hours; a period of a day is exactly that."""
    hours = [
        (from_date(day + timedelta(days=1), NEW_YORK) - from_date(day, NEW_YORK)) / 3_600_000_000
        for day in (date(2023, 3, 11), date(2023, 3, 12), date(2023, 11, 5))
    ]
    assert hours == [24, 23, 25]


def test_widths_of_text_do_not_decide_what_comes_first() -> None:
    """In the order of their characters these texts are not in the order of time."""
    texts = [
        "2023-06-01",
        "2023-06-01T00:00:00.000001Z",
        "2023-06-01T00:00:00.1Z",
        "2023-06-01T00:00:00.15Z",
        "2023-06-01T03:00:01+03:00",
        "2023-06-01T00:01Z",
        "2023-06-01T00:03:00Z",
    ]
    assert sorted(texts, key=parse) == texts
    assert sorted(texts) != texts


@given(st.integers(FIRST, LAST))
def test_what_is_shown_is_read_as_the_same_instant(instant: int) -> None:
    assert parse(show(instant)) == instant
    assert parse(to_datetime(instant).isoformat()) == instant


@given(st.integers(FIRST + 86_400_000_000, LAST - 86_400_000_000), st.sampled_from([NEW_YORK, UTC]))
def test_an_instant_told_with_its_offset_is_the_same_in_every_zone(
    instant: int, zone: tzinfo
) -> None:
    local = to_datetime(instant).astimezone(zone)
    assert parse(local.isoformat(), TOKYO) == instant
