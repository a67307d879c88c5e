"""The demo's reading of time-zone files, against `zoneinfo`, without a network.

Zone files are written here by a small builder, so that every shape of footer is covered
everywhere; whatever zones this machine has are checked beside them.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import zipfile
import zoneinfo
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from lakehouse.model.errors import (
    BeliefgraphError,
    ConfigurationError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from pipelines.demo import releases, timezones, tzif
from pipelines.demo.episodes import stamp_path, write_episodes
from pipelines.demo.timezones import (
    WINDOW_FROM,
    WINDOW_TO,
    Period,
    episodes,
    offset_text,
    read_release,
    zone_state,
)
from pipelines.demo.tzif import footer_steps, steps

MICROSECOND = timedelta(microseconds=1)
LocalType = tuple[int, bool, str]


def compiled(
    footer: str, types: Sequence[LocalType], changes: Sequence[tuple[str, int]] = ()
) -> bytes:
    """A version 2 zone file: its footer, its local times, and when which of them begins."""
    names = b"".join(name.encode() + b"\0" for _, _, name in types)
    starts = [names.index(name.encode() + b"\0") for _, _, name in types]
    body = b"".join(struct.pack(">q", _second(at)) for at, _ in changes)
    body += bytes(index for _, index in changes)
    body += b"".join(
        struct.pack(">l?B", east, is_dst, start)
        for (east, is_dst, _), start in zip(types, starts, strict=True)
    )
    empty = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, 0, 1, 1) + bytes(7)
    head = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, len(changes), len(types), len(names))
    return empty + head + body + names + f"\n{footer}\n".encode()


def _second(iso: str) -> int:
    return int(datetime.fromisoformat(iso).replace(tzinfo=UTC).timestamp())


ZONES: dict[str, bytes] = {
    "fixed": compiled("<+0530>-5:30", [(19800, False, "+0530")]),
    "no footer": compiled(
        "", [(3600, False, "A"), (7200, False, "B")], [("2012-03-04T05:06:07", 1)]
    ),
    "northern": compiled(
        "CET-1CEST,M3.5.0,M10.5.0/3",
        [(0, False, "GMT"), (3600, False, "CET"), (7200, True, "CEST")],
        [("2008-05-05T12:00:00", 1), ("2015-03-29T01:00:00", 2), ("2015-10-25T01:00:00", 1)],
    ),
    "southern": compiled("AEST-10AEDT,M10.1.0,M4.1.0/3", [(36000, False, "AEST")]),
    "negative": compiled("IST-1GMT0,M10.5.0,M3.5.0/1", [(3600, False, "IST")]),
    "half an hour": compiled("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", [(37800, False, "+1030")]),
    "far hours": compiled("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", [(-7200, False, "-02")]),
    "other days": compiled("AAA3BBB,J60/2,J299/26", [(-10800, False, "AAA")]),
    "seconds": compiled(
        "", [(-2670, False, "MMT"), (0, False, "GMT")], [("2011-01-07T00:44:30", 1)]
    ),
    "disagreeing": compiled(
        "CST6CDT,M3.2.0,M11.1.0", [(-21600, False, "CST")], [("2022-10-30T08:00:00", 0)]
    ),
}  # fmt: skip


def wheel(folder: Path, version: str, day: datetime, zones: dict[str, bytes], **files: str) -> Path:
    """A wheel laid out as the real ones."""
    texts = {
        "tzdata/zones": "\n".join(zones) + "\n",
        "tzdata/zoneinfo/tzdata.zi": "# version x\nZ Aa/Bb 1 - A\n"
        "L Aa/Bb Alias\nL Aa/Bb Unlisted\n",
        "tzdata/zoneinfo/iso3166.tab": "#c\tname\nBV\tBouvet Island\nCI\tCôte d'Ivoire\n",
        "tzdata/zoneinfo/zone.tab": "#c\tat\tTZ\nCI\t+1+1\tAa/Zz\tnote\nCI\t+2+2\tAa/Bb\n",
        **files,
    }
    path = folder / f"tzdata-{version}-py2.py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("tzdata/RECORD", (2020, 1, 1, 0, 0, 0)), "")
        data = {f"tzdata/zoneinfo/{name}": data for name, data in zones.items()}
        data |= {name: text.encode() for name, text in texts.items()}
        for name, content in data.items():
            moment = (day.year, day.month, day.day, day.hour, day.minute, day.second)
            archive.writestr(zipfile.ZipInfo(name, moment), content)
    return path


def value_at(stated: Sequence[Period], instant: datetime) -> object:
    """The value of the one period that holds at an instant."""
    at = instant.isoformat(timespec="microseconds").replace("+00:00", "")
    (value,) = [one["value"] for one in stated if _text(one, "from") <= at < _text(one, "to")]
    return value


def _text(period: Period, bound: str) -> str:
    return str(period[bound]).replace("Z", ".000000")


def check_against_zoneinfo(data: bytes) -> None:
    """Every boundary, a microsecond before and after it, and days in between."""
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(data))
    state = zone_state(data)
    instants = {WINDOW_FROM + timedelta(days=97) * number for number in range(97)}
    for stated in state.values():
        assert stated[0]["from"] == "2010-01-01T00:00:00Z"
        assert stated[-1]["to"] == "2036-01-01T00:00:00Z"
        for before, after in pairwise(stated):
            assert before["to"] == after["from"] and before["value"] != after["value"]
        bounds = [datetime.fromisoformat(str(period["from"])) for period in stated]
        instants |= {bound + shift for bound in bounds for shift in (-MICROSECOND, MICROSECOND)}
        instants |= {*bounds, WINDOW_TO - MICROSECOND}
    for instant in sorted(one for one in instants if WINDOW_FROM <= one < WINDOW_TO):
        local = instant.astimezone(zone)
        east = local.utcoffset()
        assert east is not None
        assert value_at(state["offsets"], instant) == offset_text(int(east.total_seconds()))
        assert value_at(state["abbreviations"], instant) == local.tzname()
        assert value_at(state["dst"], instant) == bool(local.dst())


@pytest.mark.parametrize("name", ZONES)
def test_written_zones_read_as_zoneinfo_reads_them(name: str) -> None:
    check_against_zoneinfo(ZONES[name])


@pytest.mark.parametrize(
    "name",
    ["Africa/Casablanca", "America/Godthab", "America/Mexico_City", "Asia/Gaza", "Asia/Tehran",
     "Australia/Lord_Howe", "Europe/Dublin", "Pacific/Apia"],
)  # fmt: skip
def test_zones_of_this_machine_read_as_zoneinfo_reads_them(name: str) -> None:
    roots = [Path(root) / name for root in zoneinfo.TZPATH]
    found = next((path for path in roots if path.is_file()), None)
    if found is None:
        pytest.skip("this machine has no time-zone files")
    check_against_zoneinfo(found.read_bytes())


def test_perpetual_daylight_time_is_one_step() -> None:
    data = compiled("XXX3EDT4,0/0,J365/23", [(-14400, True, "EDT")])
    check_against_zoneinfo(data)
    assert len(zone_state(data)["abbreviations"]) == 1


def test_days_counted_from_zero_are_read_as_posix_says() -> None:
    # Not by `zoneinfo`, which reads this form (and no real file has it) as a day earlier.
    begins = [step.begins for step in footer_steps("AAA3BBB,J60/2,299/26", 2023, 2024)]
    assert begins == [1677646800, 1698465600, 1709269200, 1730001600]


def test_offsets_have_seconds_only_where_needed() -> None:
    said = [offset_text(seconds) for seconds in (0, -21600, 20700, -2670)]
    assert said == ["+00:00", "-06:00", "+05:45", "-00:44:30"]


@pytest.mark.parametrize(
    "data", [b"", b"TZif", b"TZif1" + bytes(60), ZONES["northern"][:90], compiled("?", [])]
)
def test_a_damaged_zone_file_is_refused(data: bytes) -> None:
    with pytest.raises(InputError):
        steps(data, 0, 1)


def test_episodes_of_a_release(tmp_path: Path) -> None:
    day = datetime(2022, 10, 30, 14, 9, 58, tzinfo=UTC)
    zones = {"Alias": ZONES["fixed"], "Aa/Bb": ZONES["fixed"]}
    release = read_release(wheel(tmp_path, "2022.6", day, zones))
    first, second, empty, country, gone = episodes(release, {"zone:Aa/Bb", "zone:Old"})
    whole = {"from": "2010-01-01T00:00:00Z", "to": "2036-01-01T00:00:00Z"}
    head = {"release": "2022.6", "recorded_at": "2022-10-30T14:09:58Z", "op": "upsert"}
    assert first == head | {
        "episode_id": "tzdata/2022.6/Aa/Bb",
        "record": "zone:Aa/Bb",
        "entity_type": "zone",
        "zone": "Aa/Bb",
        "alias_of": None,
        "offsets": ({"value": "+05:30", **whole},),
        "abbreviations": ({"value": "+0530", **whole},),
        "dst": ({"value": False, **whole},),
    }
    assert second["alias_of"] == "zone:Aa/Bb"
    assert empty["zones"] == []
    assert country["episode_id"] == "tzdata/2022.6/country:CI"
    assert country["name"] == "Côte d'Ivoire"
    assert country["zones"] == ["zone:Aa/Bb", "zone:Aa/Zz"]
    assert (gone["op"], gone["record"]) == ("delete", "zone:Old")


def test_the_file_is_the_same_twice_and_written_once(tmp_path: Path) -> None:
    days = [datetime(2021, 1, number, tzinfo=UTC) for number in (1, 2)]
    wheel(tmp_path, "2021.10", days[1], {"Aa/Bb": ZONES["northern"]})
    wheel(tmp_path, "2021.9", days[0], {"Aa/Bb": ZONES["northern"], "Old": ZONES["fixed"]})
    out, other = tmp_path / "one" / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    told: list[tuple[int, int, str]] = []
    assert write_episodes(tmp_path, out, lambda *step: told.append(step))
    assert told == [(1, 2, "tzdata 2021.9"), (2, 2, "tzdata 2021.10")]
    assert write_episodes(tmp_path, other)
    assert out.read_bytes() == other.read_bytes()
    assert not write_episodes(tmp_path, out)
    records = [json.loads(line) for line in gzip.decompress(out.read_bytes()).splitlines()]
    assert [record["release"] for record in records] == ["2021.9"] * 4 + ["2021.10"] * 4
    assert records[-1]["episode_id"] == "tzdata/2021.10/Old"
    assert records[-1]["op"] == "delete"
    out.write_bytes(out.read_bytes()[:-1])
    assert write_episodes(tmp_path, out)
    assert out.read_bytes() == other.read_bytes()
    assert set(out.parent.iterdir()) == {out, stamp_path(out)}


def test_wheels_that_cannot_be_used_are_named(tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl.gz"
    with pytest.raises(UnavailableError, match="No tzdata wheels"):
        write_episodes(tmp_path, out)
    day = datetime(2021, 1, 1, tzinfo=UTC)
    wheel(tmp_path, "2021.1", day, {"Aa/Bb": ZONES["fixed"]})
    wheel(tmp_path, "2021.2", day, {"Aa/Bb": ZONES["fixed"]})
    with pytest.raises(IntegrityError, match=r"2021\.2.*not after"):
        write_episodes(tmp_path, out)
    (tmp_path / "tzdata-2021.2-py2.py3-none-any.whl").write_bytes(b"not a wheel")
    with pytest.raises(InputError, match="damaged"):
        write_episodes(tmp_path, out)
    assert not list(tmp_path.glob("*.gz*"))
    assert not list(tmp_path.glob(".*"))


def test_the_lock_names_32_releases_in_order() -> None:
    versions = [[int(part) for part in pin.version.split(".")] for pin in releases.read_lock()]
    assert len(versions) == 32 and versions == sorted(versions)


def test_a_wrong_line_of_the_lock_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_text("# fine\ntzdata==2020.1\n")
    with pytest.raises(ConfigurationError, match=r"x\.lock, line 2"):
        releases.read_lock(lock)


def test_only_missing_and_damaged_wheels_are_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pins = [releases.Pin(f"2020.{n}", hashlib.sha256(b"%d" % n).hexdigest()) for n in range(3)]
    asked: list[str] = []

    def pip(arguments: list[str]) -> tuple[int, str]:
        requirement = Path(arguments[-1]).read_text().split()[0]
        asked.append(requirement)
        number = requirement[-1]
        target = Path(arguments[arguments.index("--dest") + 1])
        (target / f"tzdata-2020.{number}-py2.py3-none-any.whl").write_text(number)
        return 0, ""

    monkeypatch.setattr(releases, "run_pip", pip)
    (tmp_path / pins[0].file_name).write_text("0")
    (tmp_path / pins[1].file_name).write_text("damaged")
    told: list[int] = []
    paths = releases.fetch(tmp_path, lambda done, total, what: told.append(done), pins=pins)
    assert [path.read_text() for path in paths] == ["0", "1", "2"]
    assert sorted(asked) == ["tzdata==2020.1", "tzdata==2020.2"]
    assert told == [1, 2, 3]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize(
    ("said", "kind"),
    [("ERROR: No matching distribution found for tzdata==2020.1", UnavailableError),
     ("No module named pip", UnavailableError),
     ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", IntegrityError)],
)  # fmt: skip
def test_a_failed_fetch_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, kind: type[BeliefgraphError]
) -> None:
    monkeypatch.setattr(releases, "run_pip", lambda arguments: (1, said))
    with pytest.raises(kind, match=r"2020\.1") as caught:
        releases.fetch(tmp_path, pins=[releases.Pin("2020.1", "0" * 64)])
    assert caught.value.remedy
    assert not list(tmp_path.iterdir())


def test_a_step_where_table_and_footer_meet_leaves_no_empty_period() -> None:
    standard, summer = tzif.LocalTime(3600, False, "CET"), tzif.LocalTime(7200, True, "CEST")
    begin = int(timezones.WINDOW_FROM.timestamp())
    told = timezones.periods(
        [tzif.Step(begin, summer), tzif.Step(begin, standard), tzif.Step(begin + 60, standard)],
        lambda local: local.abbreviation,
    )
    assert [period["value"] for period in told] == ["CET"]
    assert all(period["from"] < period["to"] for period in told)
