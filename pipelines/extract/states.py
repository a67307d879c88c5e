"""The state feed: what a record says now, against what it has said, as operations.

States are compared as stated, metadata included. What a state no longer says is withdrawn, or
(`supersede`) ends at the episode's instant, where the new values begin; what had not begun by
then is withdrawn, what was over by then stays. Operations of a deletion carry the deletion's
digest; the record's next state withdraws them first and continues from the state before, unless
the predicate declares that it begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lakehouse.model.episodes import Episode
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.ledger import Extracted
from lakehouse.model.predicates import Predicate
from lakehouse.model.statements import Operation, Statement
from pipelines.extract.declaration import Declaration, OnDelete, OnGone, OnReturn, PredicateRule
from pipelines.extract.mapping import Stated
from pipelines.extract.writing import Moment, Writer, period

_LATER: Final = 1 << 62
"""The rank of what this episode says: after all that the record has said."""


class Digests:
    """Keyed digests of things as stated; equal things of equal metadata have equal digests."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.deleted = self._of(["deleted"])

    def stated(self, thing: Stated, episode: Episode) -> str:
        """The digest of one thing said by a state, before defaults."""
        return self._of(
            [
                thing.subject,
                thing.subject_type,
                thing.predicate,
                thing.object_kind,
                thing.object,
                thing.object_type,
                thing.valid_from,
                thing.valid_to,
                episode.trust,
                episode.classification,
                sorted(episode.tags),
            ]
        )

    def _of(self, parts: list[object]) -> str:
        text = json.dumps(parts, separators=(",", ":")).encode()
        return hashlib.blake2b(text, key=self._key, digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement that the record's state still holds; `rank` is its place in the ledger."""

    statement: Statement
    stated: str
    rank: int


@dataclass(slots=True)
class RecordState:
    """What a record says, replayed from its operations; `deleted` is the deletion's digest."""

    deleted: str
    entries: dict[str, Entry] = field(default_factory=dict)
    deletions: dict[str, Entry] = field(default_factory=dict)
    """Operations of deletions that still hold, each with what it took out."""
    taken: int = 0

    def apply(self, operations: Iterable[Extracted]) -> None:
        """Take in further operations, in ledger order."""
        for one in operations:
            self.taken += 1
            statement_id = one.statement.statement_id
            if one.undoes in self.deletions:
                back = self.deletions.pop(one.undoes)
                self.entries[back.statement.statement_id] = back
                continue
            gone = self.entries.pop(one.undoes, None) if one.undoes else None
            if one.statement.op is Operation.ASSERT:
                self.entries[statement_id] = Entry(one.statement, one.stated, self.taken)
            elif gone is not None and one.stated == self.deleted:
                self.deletions[statement_id] = gone

    def copy(self) -> RecordState:
        """An independent copy."""
        return RecordState(self.deleted, dict(self.entries), dict(self.deletions), self.taken)

    def ordered(self) -> list[Entry]:
        """What the record says, in ledger order."""
        return sorted(self.entries.values(), key=lambda entry: entry.rank)


def delete(declared: Declaration, state: RecordState, writer: Writer) -> None:
    """Write what the record's deletion means for each thing it says."""
    for entry in state.ordered():
        rule = _rule(declared, entry.statement)
        if rule.on_delete is OnDelete.WITHDRAW:
            writer.withdraw(entry.statement.statement_id, state.deleted)
        elif rule.on_delete is OnDelete.END:
            _over(entry, rule, writer, state.deleted)


def advance(
    declared: Declaration,
    state: RecordState,
    things: Sequence[Stated],
    digests: Sequence[str],
    writer: Writer,
) -> None:
    """Write what leads from the record's state to the new one (`things` in record order).

    InputError where a new thing's period is empty after defaults.
    """
    for operation, entry in state.deletions.items():
        if _rule(declared, entry.statement).on_return is OnReturn.TAKE_BACK:
            writer.withdraw(operation)
    if writer.written:
        state = state.copy()
        state.apply(writer.written)
    # Of a thing said twice the later place counts: what is said later lies on top.
    wanted = dict(reversed(dict(zip(reversed(digests), reversed(things), strict=True)).items()))
    held = {entry.stated: entry for entry in state.ordered()}
    if list(held) == list(wanted):
        return
    keys: dict[tuple[str, ...], _Key] = {}
    for digest, thing in wanted.items():
        rule = thing.rule or declared.rule_of(thing.predicate, thing.object_kind)
        rule = rule.of(thing.subject_type)
        place = _place(rule, thing.subject, thing.predicate, thing.object)
        keys.setdefault(place, _Key(rule)).wanted.append(_Wanted(digest, thing, held.get(digest)))
    for entry in state.ordered():
        if entry.stated not in wanted:
            rule, said = _rule(declared, entry.statement), entry.statement
            place = _place(rule, said.subject, said.predicate, said.object)
            keys.setdefault(place, _Key(rule)).gone.append(entry)
    for key in keys.values():
        _advance_key(key, writer)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A thing of the new state, with the entry that already says it, if any."""

    digest: str
    thing: Stated
    entry: Entry | None


@dataclass(slots=True)
class _Key:
    """What changes for one key: what the new state says of it, and what it no longer says."""

    rule: PredicateRule
    wanted: list[_Wanted] = field(default_factory=list)
    gone: list[Entry] = field(default_factory=list)


def _advance_key(key: _Key, writer: Writer) -> None:
    if key.rule.on_gone is OnGone.SUPERSEDE:
        _supersede(key, writer)
        return
    for entry in key.gone:
        writer.withdraw(entry.statement.statement_id)
    for one in _to_say(key.wanted, writer.moment):
        if one.entry is not None:
            writer.withdraw(one.entry.statement.statement_id)
        writer.say(one.thing, one.digest)


def _supersede(key: _Key, writer: Writer) -> None:
    now = writer.moment.instant
    for entry in key.gone:
        if entry.statement.valid_from >= now:
            writer.withdraw(entry.statement.statement_id)
    ending = [one for one in key.gone if _holds(one.statement, now)]
    says = _to_say(key.wanted, writer.moment, cut=bool(ending))
    ended, heir = _heir(ending, says, writer.moment)
    for entry in ending:
        if entry is not ended:
            writer.end(entry.statement, key.rule.many)
    for one in says:
        if one.entry is not None and one.entry.statement.valid_from >= now:
            writer.withdraw(one.entry.statement.statement_id)
        begins = now if ending and period(one.thing, writer.moment)[1] > now else ALWAYS
        undoes = ended.statement.statement_id if ended and one is heir else ""
        writer.say(one.thing, one.digest, undoes, not_before=begins)


def _over(entry: Entry, rule: PredicateRule, writer: Writer, digest: str) -> None:
    """What is said ends now; what had not begun is withdrawn, what was over stays."""
    if entry.statement.valid_from >= writer.moment.instant:
        writer.withdraw(entry.statement.statement_id, digest)
    elif _holds(entry.statement, writer.moment.instant):
        writer.end(entry.statement, rule.many, digest)


def _holds(said: Statement, now: int) -> bool:
    """True where what was said began before now and reaches beyond it."""
    return said.valid_from < now < said.end


def _to_say(wanted: list[_Wanted], moment: Moment, cut: bool = False) -> list[_Wanted]:
    """What has to be said, in record order: what is new, and what must be said again.

    Later statements lie on top, so a held one is said again where the record lists it after
    another value over the same time that the ledger has later; and, with `cut`, where it holds
    at the instant at which the key's value ends.
    """
    says: list[_Wanted] = []
    passed: list[tuple[int, int, int, str | None]] = []
    highest = 0
    for one in wanted:
        start, end, rank = _span(one, moment)
        value = one.thing.object
        again = cut and start <= moment.instant < end
        if rank < highest and not again:
            again = any(
                over > rank and other != value and start < until and since < end
                for over, since, until, other in passed
            )
        if again or one.entry is None:
            says.append(one)
            rank = _LATER
        passed.append((rank, start, end, value))
        highest = max(highest, rank)
    return says


def _span(one: _Wanted, moment: Moment) -> tuple[int, int, int]:
    """Start, end (open ends alike) and rank of a thing, as held or as it would be said."""
    if one.entry is not None:
        said = one.entry.statement
        return said.valid_from, said.end, one.entry.rank
    start, end, _ = period(one.thing, moment)
    return start, FOREVER if end == UNTIL_CHANGED else end, _LATER


def _heir(
    ending: list[Entry], says: list[_Wanted], moment: Moment
) -> tuple[Entry | None, _Wanted | None]:
    """The entry that needs no `end`, since another value holds from now on; and that value."""
    for one in says if ending else ():
        start, end, _ = period(one.thing, moment)
        other = one.thing.object != ending[-1].statement.object
        if other and start <= moment.instant and end >= UNTIL_CHANGED:
            return ending[-1], one
    return None, None


def _rule(declared: Declaration, said: Statement) -> PredicateRule:
    """The rule of what was said; a predicate declared no longer counts as withdrawn when gone."""
    found = declared.predicates.get(said.predicate) or PredicateRule(
        predicate=Predicate(said.predicate, object_kind=said.object_kind),
        on_delete=declared.on_delete,
    )
    return found.of(said.subject_type)


def _place(
    rule: PredicateRule, subject: str, predicate: str, object_: str | None
) -> tuple[str, ...]:
    return (subject, predicate, object_ or "") if rule.many else (subject, predicate)
