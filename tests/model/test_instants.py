"""Instants at the borders of the calendar, of zones and of notation."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FIRST, FOREVER, LAST, UNTIL_CHANGED, parse, show

NEW_YORK, TOKYO = ZoneInfo("America/New_York"), ZoneInfo("Asia/Tokyo")


def test_the_calendar_has_a_first_and_a_last_instant() -> None:
    assert parse("0001-01-01T00:00:00Z") == FIRST
    assert parse("9999-12-31T23:59:59.999999Z") == LAST
    assert (show(FIRST), show(LAST)) == ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z")


@pytest.mark.parametrize(
    ("text", "zone"),
    [("0001-01-01", TOKYO), ("9999-12-31T23:59:60Z", None), ("9999-12-31T23:00:00-02:00", None)],
)
def test_what_lies_outside_is_refused(text: str, zone: ZoneInfo | None) -> None:
    with pytest.raises(InputError, match="outside the years"):
        parse(text, zone)


def test_what_was_recorded_outside_can_still_be_shown() -> None:
    assert show(LAST + 1).endswith("µs")


def test_open_ends_are_told_apart() -> None:
    assert [show(end) for end in (ALWAYS, UNTIL_CHANGED, FOREVER)] == [
        "-∞",
        "∞ (until changed)",
        "∞",
    ]


def test_a_date_is_the_midnight_of_its_zone() -> None:
    assert show(parse("2023-06-01", NEW_YORK)) == "2023-06-01T04:00:00Z"
    assert show(parse("2023-06-01")) == "2023-06-01T00:00:00Z"


def test_a_gap_is_refused_and_a_fold_needs_its_offset() -> None:
    with pytest.raises(InputError, match="does not exist"):
        parse("2023-03-12T02:30:00", NEW_YORK)
    with pytest.raises(InputError, match="occurs twice"):
        parse("2023-11-05T01:30:00", NEW_YORK)
    assert show(parse("2023-11-05T01:30:00-04:00", NEW_YORK)) == "2023-11-05T05:30:00Z"


def test_a_leap_second_is_the_next_second_and_finer_digits_floor() -> None:
    assert show(parse("2016-12-31T23:59:60Z")) == "2017-01-01T00:00:00Z"
    assert parse("2023-06-01T00:00:00.123456999Z") == parse("2023-06-01T00:00:00.123456Z")


@pytest.mark.parametrize("text", ["", "now", "2023-6-1", "2023-13-01", "2023-06-01T25:00:00Z"])
def test_what_is_no_instant_is_named(text: str) -> None:
    with pytest.raises(InputError, match="is not"):
        parse(text)
