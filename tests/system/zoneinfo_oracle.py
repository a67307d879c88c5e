"""The second opinion on the demo: Python's own `zoneinfo`, reading each wheel's files.

Shares no code with the pipeline: wheels are opened here, zones are `zoneinfo.ZoneInfo`, the
tables are split here. Instants are int64 microseconds UTC. A question outside 2010–2035, for
a zone the release does not have, or known before the first release, has no answer (None).

Two rules for lists that are current as of publication (`alias_of`, `has_zone`):
what a release says of its own day is in the tables of that release (`countries_at_offset`);
what is believed of a day at `known_at`, where a list ends when its successor comes out, is in
the tables of the release that stood at the earlier of both instants (`countries_believed`).
"""

from __future__ import annotations

import io
import random
import zipfile
from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
WINDOW = (
    (datetime(2010, 1, 1, tzinfo=UTC) - EPOCH) // MICROSECOND,
    (datetime(2036, 1, 1, tzinfo=UTC) - EPOCH) // MICROSECOND,
)


@dataclass(frozen=True)
class Facts:
    """What clocks of a zone show at an instant."""

    utc_offset: str
    abbreviation: str
    is_dst: bool


@dataclass(frozen=True)
class Question:
    """What did (a zone's clocks show | countries share an offset) at valid_at, as known then?

    `subject` is a zone name, or an offset for a two-hop question; `aim` says how it was made.
    """

    subject: str
    valid_at: int
    known_at: int
    aim: str


class _Wheel:
    """One release: its instant, and its files as text and zones on demand."""

    def __init__(self, path: Path) -> None:
        self.version = path.name.split("-")[1]
        self._archive = zipfile.ZipFile(path)
        newest = max(entry.date_time for entry in self._archive.infolist())
        self.recorded_at = (datetime(*newest, tzinfo=UTC) - EPOCH) // MICROSECOND
        self.names = frozenset(self._archive.read("tzdata/zones").decode().split())
        self._zones: dict[str, ZoneInfo] = {}

    def data(self, name: str) -> bytes:
        return self._archive.read(f"tzdata/zoneinfo/{name}")

    def zone(self, name: str) -> ZoneInfo:
        if name not in self._zones:
            self._zones[name] = _zone(self.data(name))
        return self._zones[name]

    @cached_property
    def countries(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for line in self.data("zone.tab").decode().splitlines():
            if not line.startswith("#"):
                code, _, zone = line.split("\t")[:3]
                found.setdefault(f"country:{code}", []).append(zone)
        return found

    @cached_property
    def aliases(self) -> dict[str, str]:
        lines = [line.split(" ") for line in self.data("tzdata.zi").decode().splitlines()]
        links = [words for words in lines if words[0] == "L"]
        return {alias: target for _, target, alias in links}


class ZoneinfoOracle:
    """Answers from the wheels of a folder, oldest release first."""

    def __init__(self, wheel_dir: Path) -> None:
        found = [_Wheel(path) for path in wheel_dir.glob("tzdata-*.whl")]
        self._wheels = sorted(found, key=lambda wheel: wheel.recorded_at)
        self.versions = [wheel.version for wheel in self._wheels]
        self.recorded = [wheel.recorded_at for wheel in self._wheels]

    def release_at(self, known_at: int) -> int | None:
        """Index of the newest release recorded by then."""
        index = bisect_right(self.recorded, known_at) - 1
        return index if index >= 0 else None

    def facts(self, release: int, zone: str, instant: int) -> Facts | None:
        """Everything `zoneinfo` says, or None outside the window or for an unknown zone."""
        wheel = self._wheels[release]
        if zone not in wheel.names or not WINDOW[0] <= instant < WINDOW[1]:
            return None
        return _facts(wheel.zone(zone), instant)

    def offset(self, release: int, zone: str, instant: int) -> str | None:
        """UTC offset as ±HH:MM[:SS]."""
        return getattr(self.facts(release, zone, instant), "utc_offset", None)

    def abbreviation(self, release: int, zone: str, instant: int) -> str | None:
        """Abbreviation of the time in force."""
        return getattr(self.facts(release, zone, instant), "abbreviation", None)

    def is_dst(self, release: int, zone: str, instant: int) -> bool | None:
        """Whether daylight-saving time is in force."""
        return getattr(self.facts(release, zone, instant), "is_dst", None)

    def believed(self, question: Question) -> Facts | None:
        """The answer to a one-hop question."""
        release = self.release_at(question.known_at)
        return None if release is None else self.facts(release, question.subject, question.valid_at)

    def alias_of(self, release: int, zone: str) -> str | None:
        """The zone this one is another name of, in a release."""
        return self._wheels[release].aliases.get(zone)

    def alias_believed(self, zone: str, valid_at: int, known_at: int) -> str | None:
        """The same as believed of an instant: aliases hold from the release that lists them."""
        release = self.release_at(min(valid_at, known_at))
        return None if release is None else self.alias_of(release, zone)

    def zones_believed(self, country: str, valid_at: int, known_at: int) -> set[str]:
        """Zones of a country, as believed of an instant."""
        release = self.release_at(min(valid_at, known_at))
        return set() if release is None else set(self._wheels[release].countries.get(country, []))

    def countries_at_offset(self, release: int, instant: int, offset: str) -> set[str]:
        """Countries with a zone at that offset, by one release's tables and rules alone."""
        return self._countries(release, release, instant, offset)

    def countries_believed(self, valid_at: int, known_at: int, offset: str) -> set[str]:
        """Countries with a zone at that offset: tables as of the day, rules as known."""
        listed = self.release_at(min(valid_at, known_at))
        known = self.release_at(known_at)
        if listed is None or known is None:
            return set()
        return self._countries(listed, known, valid_at, offset)

    def _countries(self, listed: int, known: int, instant: int, offset: str) -> set[str]:
        return {
            country
            for country, zones in self._wheels[listed].countries.items()
            if any(self.offset(known, zone, instant) == offset for zone in zones)
        }

    def random_questions(self, seed: int, n: int) -> list[Question]:
        """One-hop questions: four in ten anywhere, the rest where an error would show."""
        chance = random.Random(seed)
        aims = [
            (40, self._anywhere), (20, self._at_transition), (15, self._at_release),
            (22, self._at_difference), (3, self._at_border),
        ]  # fmt: skip
        makers = chance.choices([make for _, make in aims], [share for share, _ in aims], k=n)
        return [make(chance) for make in makers]

    def random_two_hop_questions(self, seed: int, n: int) -> list[Question]:
        """Offset questions, to be answered by `countries_believed`; half where releases differ."""
        chance = random.Random(seed)
        questions = []
        for number in range(n):
            base = self._at_difference(chance) if number % 2 else self._anywhere(chance)
            # Lists begin with the first release: mostly ask about days since then.
            valid_at = base.valid_at
            if valid_at < self.recorded[0] and chance.random() < 0.9:
                valid_at = chance.randrange(self.recorded[0], WINDOW[1])
            release = self.release_at(base.known_at) or 0
            offset = self.offset(release, base.subject, valid_at) or "+03:00"
            questions.append(Question(offset, valid_at, base.known_at, f"two-hop {base.aim}"))
        return questions

    def _anywhere(self, chance: random.Random) -> Question:
        zone = chance.choice(sorted(self._wheels[-1].names))
        return Question(zone, chance.randrange(*WINDOW), self._any_known(chance), "anywhere")

    def _any_known(self, chance: random.Random) -> int:
        return chance.randrange(self.recorded[0], self.recorded[-1] + 90 * DAY)

    def _at_transition(self, chance: random.Random) -> Question:
        """A microsecond around a change of local time, by the release known then."""
        while True:
            question = self._anywhere(chance)
            release = self.release_at(question.known_at) or 0
            if question.subject not in self._wheels[release].names:
                continue
            zone = self._wheels[release].zone(question.subject)
            until = min(question.valid_at + 200 * DAY, WINDOW[1] - 5 * DAY)
            for left in range(question.valid_at, until, 5 * DAY):
                if _facts(zone, left) != _facts(zone, left + 5 * DAY):
                    valid_at = _change(zone, left, left + 5 * DAY) + chance.choice((-1, 0, 1))
                    return Question(question.subject, valid_at, question.known_at, "transition")

    def _at_release(self, chance: random.Random) -> Question:
        """A microsecond around the instant a release became known, the first one included."""
        base = self._anywhere(chance)
        known_at = chance.choice(self.recorded) + chance.choice((-1, 0, 1))
        return Question(base.subject, base.valid_at, known_at, "release")

    def _at_difference(self, chance: random.Random) -> Question:
        """Inside and at the edges of a span two neighbouring releases disagree about."""
        release, zone, (begins, ends) = chance.choice(self._differences)
        valid_at = chance.choice(
            (begins - 1, begins, begins + 1, (begins + ends) // 2, ends - 1, ends, ends + 1)
        )
        near = self.recorded[release] + chance.choice((-1, 0, 1))
        known_at = chance.choice((near, near, self._any_known(chance)))
        return Question(zone, valid_at, known_at, "difference")

    def _at_border(self, chance: random.Random) -> Question:
        """A microsecond around the two ends of the window."""
        base = self._anywhere(chance)
        valid_at = chance.choice(WINDOW) + chance.choice((-1, 0, 1))
        return Question(base.subject, valid_at, base.known_at, "border")

    @cached_property
    def _differences(self) -> list[tuple[int, str, tuple[int, int]]]:
        """(later release, zone, span) for the first and one other span of every changed zone."""
        found = []
        chance = random.Random(0)
        for release, (before, after) in enumerate(pairwise(self._wheels), start=1):
            for zone in sorted(before.names & after.names):
                spans = _spans(before.data(zone), after.data(zone))
                if spans:
                    found += [(release, zone, span) for span in {spans[0], chance.choice(spans)}]
        return sorted(found)


@lru_cache(maxsize=8192)
def _zone(data: bytes) -> ZoneInfo:
    return ZoneInfo.from_file(io.BytesIO(data))


def _facts(zone: ZoneInfo, instant: int) -> Facts:
    local = (EPOCH + instant * MICROSECOND).astimezone(zone)
    # A full time is 26 characters long; what follows is the offset.
    offset = local.isoformat(timespec="microseconds")[26:]
    return Facts(offset, local.tzname() or "", bool(local.dst()))


def _change(zone: ZoneInfo, left: int, right: int) -> int:
    """The instant in (left, right] at which what held at `left` stops, to the second."""
    start = _facts(zone, left)
    left, right = left // SECOND, -(-right // SECOND)
    while right - left > 1:
        middle = (left + right) // 2
        left, right = (middle, right) if _facts(zone, middle * SECOND) == start else (left, middle)
    return right * SECOND


@lru_cache(maxsize=4096)
def _spans(before: bytes, after: bytes) -> tuple[tuple[int, int], ...]:
    """Spans about which two versions of a zone disagree, found by looking every two days."""
    if before == after:
        return ()
    old, new = _zone(before), _zone(after)

    def differ(second: int) -> bool:
        instant = datetime.fromtimestamp(second, UTC)
        a, b = instant.astimezone(old), instant.astimezone(new)
        same = (a.utcoffset(), a.tzname()) == (b.utcoffset(), b.tzname())
        return not same or bool(a.dst()) != bool(b.dst())

    found: list[tuple[int, int]] = []
    step = 2 * 86_400
    last, seen = WINDOW[0] // SECOND, False
    begins: int | None = last
    for second in range(WINDOW[0] // SECOND, WINDOW[1] // SECOND, step):
        now = differ(second)
        if now != seen and second > last:
            left, right = last, second
            while right - left > 1:
                middle = (left + right) // 2
                left, right = (middle, right) if differ(middle) == seen else (left, middle)
            if now:
                begins = right
            elif begins is not None:
                found.append((begins * SECOND, right * SECOND))
                begins = None
        last, seen = second, now
    if seen and begins is not None:
        found.append((begins * SECOND, WINDOW[1]))
    return tuple(found)
