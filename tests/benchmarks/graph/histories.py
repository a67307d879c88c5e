"""The set, made by a seeded script: histories as statements that episodes make, in ledger order.

Things come in groups, each with a window of recorded time of its own: in its first tenth all of
them are told, in the rest some of what was said changes. Links stay within a group and point three
ways at most, so that two steps reach about ten things and three about thirty, at whatever pair of
instants. Apart from them stand one key with very many versions and one thing with very many links.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lakehouse.model.episodes import Episode, Protection
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.ledger import Extracted
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import ENTITY, Operation, Statement

TENANT: Final = "bench"
SEED: Final = 2026
GROUPS: Final = 10
DAY: Final = 86_400_000_000
WINDOW: Final = 360 * DAY
BEGIN: Final = 1_451_606_400_000_000
"""2016-01-01, in µs UTC; the windows end before 2026."""
SENSOR: Final = "sensor:0"
READING: Final = "reading"
HUB: Final = "hub:0"
MEMBER: Final = "member"
KNOWS: Final = "knows"
WORKS_FOR: Final = "works_for"
_LITERAL: Final = "value_"
QUIET: Final = f"{_LITERAL}0"
"""The literal that changes no more often where a thing has much history."""
CARDINALITY: Final = {KNOWS: Cardinality.MANY, MEMBER: Cardinality.MANY}
STORIED_EVERY: Final = 100
"""One thing in so many has about ten times the history, on every literal but the first."""
_STORIED_CHANGES: Final = 8
_CHANGED: Final = 0.19
"""The chance of a literal, and of the one link that may change, to be superseded."""
_LINKS: Final = 2.7
_A_CHANGE: Final = 1.5
"""Rectangles that a superseding statement adds: one where it corrects, two where it changes."""
_VALUES: Final = (0, 10, 200, 100_000, 5_000)
"""Of how many values each literal takes turns; 0: its own for each thing."""
_TYPES: Final = ("person", "company", "site")


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the set is. `versions` of one key, `neighbours` of one thing."""

    entities: int = 100_000
    beliefs: int = 1_000_000
    versions: int = 10_000
    neighbours: int = 10_000

    @property
    def things(self) -> int:
        """Entities beside the sensor, the hub and its members."""
        return self.entities - self.neighbours - 2

    @property
    def literals(self) -> float:
        """Literal keys of a thing, on average."""
        storied = self.things / STORIED_EVERY * 4 * _STORIED_CHANGES * _A_CHANGE
        rest = self.beliefs - self.versions - self.neighbours - storied
        each = _CHANGED * _A_CHANGE
        return max(1.0, (rest / self.things - _LINKS - each) / (1 + each))

    def members(self, group: int) -> range:
        """The numbers of the group's things."""
        return range(group * self.things // GROUPS, (group + 1) * self.things // GROUPS)


@dataclass(slots=True)
class Batch:
    """What one window brings, in ledger order."""

    episodes: list[Episode] = field(default_factory=list)
    extracted: list[Extracted] = field(default_factory=list)


def thing(number: int) -> str:
    """A thing's id."""
    return f"thing:{number:07d}"


def is_storied(number: int) -> bool:
    """Has the thing much more history than others?"""
    return number % STORIED_EVERY == 0


def told_from(group: int) -> int:
    """The recorded instant (µs UTC) from which all things of the group are known."""
    return BEGIN + group * WINDOW + WINDOW // 10


def cardinality(predicate: str) -> Cardinality:
    """How many values a predicate has at a time."""
    return CARDINALITY.get(predicate, Cardinality.ONE)


def batches(shape: Shape) -> Iterator[Batch]:
    """The windows one after another; the same ones every time."""
    seq = 0
    for group in range(GROUPS):
        said = _Window(shape, group, random.Random(f"{SEED} {group}"))
        batch = said.in_order(seq)
        seq += len(batch.extracted)
        yield batch


@dataclass(frozen=True, slots=True)
class _Said:
    """One value that an episode states; `op` is `end` where it states that none holds any more."""

    subject: str
    predicate: str
    object: str | None
    kind: str
    valid_from: int
    op: Operation = Operation.ASSERT


class _Window:
    def __init__(self, shape: Shape, group: int, chance: random.Random) -> None:
        self._shape, self._group, self._chance = shape, group, chance
        self._start = BEGIN + group * WINDOW
        self._told: list[tuple[int, str, int, list[_Said]]] = []

    def in_order(self, seq: int) -> Batch:
        """Episodes and statements by recorded instant; `seq` is that of the first statement."""
        members = self._shape.members(self._group)
        for number in members:
            self._tell(number, members)
        self._sensor()
        if self._group == 0:
            self._hub()
        self._told.sort(key=lambda one: one[:2])
        batch = Batch()
        for recorded_at, subject, version, said in self._told:
            self._write(batch, recorded_at, f"registry/{subject}/{version}", said, seq)
        return batch

    def _tell(self, number: int, members: range) -> None:
        chance, subject = self._chance, thing(number)
        place = (number - members.start) / len(members)
        at = self._start + int(place * (WINDOW // 10))
        literals = int(self._shape.literals + chance.random())
        said = [
            _Said(subject, f"{_LITERAL}{n}", self._value(n, number), _kind(n), self._before(at))
            for n in range(literals)
        ]
        said.append(self._link(subject, WORKS_FOR, number, members, self._before(at)))
        for _ in range(1 + (chance.random() < _LINKS - 2)):
            said.append(self._link(subject, KNOWS, number, members, self._before(at)))
        said = list({(one.predicate, one.object): one for one in said}.values())
        self._told.append((at, subject, 1, said))
        version = 2
        if number % 33 == 0:
            self._told.append((at + 1, subject, version, said))
            version += 1
        self._change(subject, number, members, said, version)

    def _change(
        self, subject: str, number: int, members: range, said: list[_Said], version: int
    ) -> None:
        chance, later = self._chance, []
        for one in said:
            if one.predicate == KNOWS:
                continue
            told = is_storied(number) and one.kind != ENTITY and one.predicate != QUIET
            times = _STORIED_CHANGES if told else int(chance.random() < _CHANGED)
            start = told_from(self._group)
            later += [(start + int(chance.random() * 0.89 * WINDOW), one) for _ in range(times)]
        standing = {one.predicate: one for one in said}
        for turn, (at, one) in enumerate(sorted(later, key=lambda pair: pair[0])):
            old = standing[one.predicate]
            corrects = (number + turn) % 2
            start = old.valid_from if corrects else max(at - chance.randrange(DAY), old.valid_from)
            if one.kind == ENTITY:
                new = self._link(subject, one.predicate, number, members, start)
            elif not corrects and chance.random() < 0.1:
                new = _Said(subject, one.predicate, None, one.kind, start, Operation.END)
            else:
                literal = int(one.predicate.removeprefix(_LITERAL))
                value = f"{self._value(literal, number)}{chance.randrange(1_000)}"
                new = _Said(subject, one.predicate, value, one.kind, start)
            standing[one.predicate] = new
            self._told.append((at, subject, version + turn, [new]))

    def _sensor(self) -> None:
        """Its share of the versions, spread over the window; two corrections, then a change."""
        share = self._shape.versions // GROUPS
        count, number, start = 0, 0, self._start
        while count < share:
            at = self._start + count * (WINDOW // share)
            changes = number % 3 == 0
            start = at if changes else start
            said = _Said(SENSOR, READING, f"{self._group}.{number}", "decimal", start)
            self._told.append((at, SENSOR, self._group * share + number, [said]))
            count, number = count + (2 if changes else 1), number + 1

    def _hub(self) -> None:
        neighbours = self._shape.neighbours
        for first in range(0, neighbours, 100):
            numbers = range(first, min(first + 100, neighbours))
            said = [
                _Said(HUB, MEMBER, f"member:{n:07d}", ENTITY, self._start - DAY) for n in numbers
            ]
            self._told.append((self._start + first, HUB, first // 100, said))

    def _link(self, subject: str, predicate: str, number: int, members: range, start: int) -> _Said:
        other = members[self._chance.randrange(len(members) - 1)]
        return _Said(subject, predicate, thing(other + (other >= number)), ENTITY, start)

    def _value(self, literal: int, number: int) -> str:
        most = _VALUES[literal % len(_VALUES)]
        told = self._chance.randrange(most) if most else number
        return str(told) if _kind(literal) == "integer" else f"value {told}"

    def _before(self, at: int) -> int:
        return at - self._chance.randrange(1, 1_000) * DAY

    def _write(
        self, batch: Batch, recorded_at: int, episode_id: str, said: list[_Said], seq: int
    ) -> None:
        subject = said[0].subject
        place = _place(subject)
        aside, inside = place % 10 == 9, place == 50
        trust, level = 1 if aside else 2, 1 if inside else 0
        source = "crm" if aside else "registry"
        payload = json.dumps({one.predicate: one.object for one in said}).encode()
        batch.episodes.append(
            Episode(
                tenant=TENANT,
                episode_id=episode_id,
                source=source,
                source_key=subject,
                payload=payload,
                attested_at=recorded_at,
                trust=trust,
                classification=level,
                who="agent 7" if aside else None,
                tags=("import",) if aside else (),
                location=f"{source}.jsonl:{len(batch.episodes) + 1}",
                protection=Protection(encrypted=False),
            )
        )
        for at, one in enumerate(said, start=1):
            statement = Statement(
                tenant=TENANT,
                statement_id=f"{episode_id}#{at}",
                op=one.op,
                recorded_at=recorded_at,
                seq=seq + len(batch.extracted),
                episode_id=episode_id,
                subject=subject,
                predicate=one.predicate,
                object=one.object,
                object_kind=one.kind,
                subject_type=_type(subject),
                object_type=_type(one.object) if one.kind == ENTITY and one.object else "",
                valid_from=one.valid_from,
                valid_to=UNTIL_CHANGED,
                trust=trust,
                classification=level,
                source=source,
                tags=("import",) if aside else (),
            )
            batch.extracted.append(Extracted(statement, record=subject))


def _kind(literal: int) -> str:
    return "integer" if _VALUES[literal % len(_VALUES)] == 100_000 else "string"


def _place(entity: str) -> int:
    """The last two digits of its number."""
    return int(entity.rpartition(":")[2]) % 100


def _type(entity: str) -> str:
    return _TYPES[_place(entity) % len(_TYPES)]
