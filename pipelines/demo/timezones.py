"""One tzdata wheel read as episodes: each zone's and each country's full state in a release.

An episode says what its release said, no more: periods of UTC offset, abbreviation and
daylight saving over 2010–2035 (both ends explicit, half-open, exact to the second of the
transition), what the zone is an alias of, and which zones a country has. The release became
known at the newest file time in its wheel, read as UTC.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from lakehouse.model.errors import InputError
from pipelines.demo.tzif import LocalTime, Step, steps

Episode = dict[str, object]
Period = Mapping[str, object]
"""`value`, `from`, `to`: ISO-8601 instants in UTC, half-open."""

WINDOW_FROM: Final = datetime(2010, 1, 1, tzinfo=UTC)
WINDOW_TO: Final = datetime(2036, 1, 1, tzinfo=UTC)

_FOLDER: Final = "tzdata/zoneinfo/"
_WHEEL_NAME: Final = re.compile(r"tzdata-(\d+)\.(\d+)-py2\.py3-none-any\.whl")


@dataclass(frozen=True, slots=True)
class Country:
    """A country as the release's tables list it; `zones` are record ids, sorted."""

    code: str
    name: str
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """All the demo takes from one wheel; `zones` maps a name to its compiled file."""

    version: str
    recorded_at: datetime
    zones: Mapping[str, bytes]
    aliases: Mapping[str, str]
    countries: tuple[Country, ...]

    @property
    def records(self) -> frozenset[str]:
        """Ids of every record the release states something about."""
        return frozenset(
            [*map(zone_id, self.zones), *(country_id(one.code) for one in self.countries)]
        )


def zone_id(name: str) -> str:
    """Record and entity id of a time zone."""
    return f"zone:{name}"


def country_id(code: str) -> str:
    """Record and entity id of a country, by its two-letter code."""
    return f"country:{code}"


def release_key(wheel: Path) -> tuple[int, int]:
    """(year, number) of a wheel, by which releases are ordered."""
    match = _WHEEL_NAME.fullmatch(wheel.name)
    if match is None:
        raise InputError(f"{wheel.name} is not a wheel of a tzdata release.", file=wheel)
    return int(match[1]), int(match[2])


def read_release(wheel: Path) -> Release:
    """Read one wheel. Nothing outside it is looked at, this machine's own zones included."""
    year, number = release_key(wheel)
    try:
        with zipfile.ZipFile(wheel) as archive:
            newest = max(entry.date_time for entry in archive.infolist())
            names = sorted(archive.read("tzdata/zones").decode("utf-8").split())
            zones = {name: archive.read(_FOLDER + name) for name in names}
            source = archive.read(_FOLDER + "tzdata.zi").decode("utf-8")
            country_names = _table(archive, "iso3166.tab")
            places = _table(archive, "zone.tab")
    except (KeyError, ValueError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{wheel.name} is damaged or not laid out as a tzdata wheel.",
            remedy="Delete it; it is fetched again.",
            file=wheel,
            reason=error,
        ) from error
    return Release(
        version=f"{year}.{number}",
        recorded_at=datetime(*newest, tzinfo=UTC),
        zones=zones,
        aliases={name: to for name, to in read_links(source).items() if name in zones},
        countries=_countries(country_names, places),
    )


def read_links(source: str) -> dict[str, str]:
    """Alias to target, from the `L TARGET ALIAS` lines of the compact source; the last counts."""
    fields = (line.split() for line in source.splitlines() if line.startswith("L"))
    return {alias: target for _, target, alias in fields}


def _table(archive: zipfile.ZipFile, name: str) -> list[list[str]]:
    """The rows of one of the tab-separated tables, without its comments."""
    lines = archive.read(_FOLDER + name).decode("utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def _countries(names: list[list[str]], places: list[list[str]]) -> tuple[Country, ...]:
    """Countries by code; a country without a zone of its own (an empty island) is one too."""
    zones: dict[str, set[str]] = {}
    for code, _, zone, *_ in places:
        zones.setdefault(code, set()).add(zone_id(zone))
    return tuple(
        Country(code, name, tuple(sorted(zones.get(code, ())))) for code, name in sorted(names)
    )


def episodes(release: Release, previous: Collection[str] = ()) -> Iterator[Episode]:
    """What one release says: zones by name, countries by code, then what it no longer has.

    `previous` are the ids of the records of the release before; those missing now are deleted.
    """
    for name, data in release.zones.items():
        alias_of = release.aliases.get(name)
        yield {
            **_head(release, zone_id(name), "upsert"),
            "zone": name,
            "alias_of": None if alias_of is None else zone_id(alias_of),
            **zone_state(data),
        }
    for country in release.countries:
        yield {
            **_head(release, country_id(country.code), "upsert"),
            "name": country.name,
            "zones": list(country.zones),
        }
    for gone in sorted(set(previous) - release.records):
        yield _head(release, gone, "delete")


def _head(release: Release, record: str, operation: str) -> Episode:
    entity_type, _, name = record.partition(":")
    return {
        "episode_id": f"tzdata/{release.version}/{record if entity_type == 'country' else name}",
        "release": release.version,
        "recorded_at": iso(release.recorded_at),
        "op": operation,
        "record": record,
        "entity_type": entity_type,
    }


@lru_cache(maxsize=8192)
def zone_state(data: bytes) -> Mapping[str, tuple[Period, ...]]:
    """Periods a compiled zone file states. Most files stay the same from release to release."""
    found = steps(data, int(WINDOW_FROM.timestamp()), int(WINDOW_TO.timestamp()))
    return {
        "offsets": periods(found, lambda local: offset_text(local.offset)),
        "abbreviations": periods(found, lambda local: local.abbreviation),
        "dst": periods(found, lambda local: local.is_dst),
    }


def periods(found: list[Step], value_of: Callable[[LocalTime], object]) -> tuple[Period, ...]:
    """One property of local time as adjoining periods, equal neighbours merged.

    Of two steps at one instant the later stands: a table's end and its footer may share one.
    """
    starts: list[tuple[object, int]] = []
    for begins, local in found:
        value = value_of(local)
        if starts and starts[-1][1] == begins:
            starts.pop()
        if not starts or starts[-1][0] != value:
            starts.append((value, begins))
    ends = [begins for _, begins in starts[1:]] + [int(WINDOW_TO.timestamp())]
    return tuple(
        {"value": value, "from": _iso_second(begins), "to": _iso_second(ends_at)}
        for (value, begins), ends_at in zip(starts, ends, strict=True)
    )


def offset_text(seconds: int) -> str:
    """Seconds east of UTC as ±HH:MM, with :SS where it is not whole minutes."""
    minutes, second = divmod(abs(seconds), 60)
    text = f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{second:02}" if second else text


def iso(instant: datetime) -> str:
    """A UTC instant as the records write it, to the second."""
    return instant.strftime("%Y-%m-%dT%H:%M:%SZ")


def _iso_second(second: int) -> str:
    return iso(datetime.fromtimestamp(second, UTC))
