"""Episodes in landing order become statements, record by record; refused ones go aside.

Pure: what the ledger knows comes in as arguments, what it shall know goes out as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import BeliefgraphError, InputError
from lakehouse.model.instants import show
from lakehouse.model.ledger import Extracted
from lakehouse.model.statements import ENTITY, Operation
from pipelines.extract.declaration import Declaration, Feed
from pipelines.extract.footprint import fingerprint, footprint
from pipelines.extract.mapping import Kind, Stated, kind_of, said, things
from pipelines.extract.reading import refused
from pipelines.extract.records import record_of
from pipelines.extract.snapshots import ABSENT
from pipelines.extract.states import Digests, RecordState, advance, delete
from pipelines.extract.writing import Writer, moment_of

_Spoken = tuple[tuple[Stated, ...], list[str]]
_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a batch said, in ledger order, and what of it was refused."""

    extracted: list[Extracted]
    refusals: list[Refusal]


def order_of(episode: Episode) -> int | None:
    """The instant by which states of a record are ordered; None: by landing alone."""
    return episode.occurred_at if episode.occurred_at is not None else episode.attested_at


def taken_by(headers: Iterable[Episode]) -> dict[str, int]:
    """For each record, the instant of the newest state among these episodes (`order_of`)."""
    taken: dict[str, int] = {}
    for episode in headers:
        instant = order_of(episode)
        if instant is not None:
            taken[episode.source_key] = max(instant, taken.get(episode.source_key, instant))
    return taken


def extract(
    declared: Declaration,
    episodes: Iterable[Episode],
    *,
    key: bytes,
    now: int | None,
    prior: Mapping[str, Sequence[Extracted]] = MappingProxyType({}),
    taken: Mapping[str, int] = _NOTHING,
    known: Callable[[str], bool] = lambda target: False,
) -> Extraction:
    """What the episodes say, in the order given.

    `key` keys the digests of states (16 to 64 bytes, the same for all time). `now` is the
    system's clock in µs UTC, not before the ledger's last stamp; None for an import, whose
    episodes attest their recorded instants. For a state feed `prior` is what the ledger has of
    these records and `taken` the newest instant already extracted of each (`taken_by`). `known`
    tells whether a statement, episode or entity is in the ledger. A record that is wrong is
    refused whole; the rest goes on.
    """
    run = _Run(declared, Digests(key), now, prior, taken, known)
    work = run.state if declared.feed is Feed.STATE else run.event
    for episode in episodes:
        try:
            run.extracted.extend(work(episode))
        except BeliefgraphError as wrong:
            location = episode.location or episode.episode_id
            run.refusals.append(
                refused(declared, location, episode.payload, wrong, "extract", episode.protection)
            )
    return Extraction(run.extracted, run.refusals)


@dataclass(slots=True)
class _Run:
    """One call of `extract`: its arguments, and what has come of them so far."""

    declared: Declaration
    digests: Digests
    now: int | None
    prior: Mapping[str, Sequence[Extracted]]
    taken: Mapping[str, int]
    known: Callable[[str], bool]
    extracted: list[Extracted] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    states: dict[str, RecordState] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    mapped: dict[str, tuple[bytes, _Spoken]] = field(default_factory=dict)
    fields: tuple[str, ...] | None = field(init=False)

    def __post_init__(self) -> None:
        found = footprint(self.declared)
        self.fields = None if found is None else tuple(sorted(found))

    def event(self, episode: Episode) -> list[Extracted]:
        """Each thing the record says is a statement of its own."""
        spoken = said(self.declared, episode)
        writer = Writer(episode, moment_of(episode, self.now), source=spoken.source)
        for thing in spoken.things:
            if thing.target is not None and not self._known(thing.target, thing.op):
                raise InputError(
                    f"{thing.place}.target: {thing.op} of {thing.target!r}, which is not known",
                    remedy="Name a statement (EPISODE#1) or an episode that was said before"
                    + (", or an entity." if thing.op is Operation.ERASE else "."),
                    field=f"{thing.place}.target",
                )
            writer.say(thing)
        self._remember(episode, writer.written)
        return writer.written

    def state(self, episode: Episode) -> list[Extracted]:
        """The operations from what the record has said to what it says now."""
        record = episode.source_key
        state = self.states.get(record)
        if state is None:
            state = RecordState(self.digests.deleted)
            state.apply(self.prior.get(record, ()))
            self.states[record] = state
        self._check_order(episode)
        writer = Writer(episode, moment_of(episode, self.now), record=record)
        self._say_state(episode, state, writer)
        state.apply(writer.written)
        instant = order_of(episode)
        if instant is not None:
            self.newest[record] = instant
        return writer.written

    def _say_state(self, episode: Episode, state: RecordState, writer: Writer) -> None:
        if episode.media_type == ABSENT:
            delete(self.declared, state, writer)
            return
        record = record_of(episode.payload)
        kind = kind_of(self.declared, record)
        if kind is Kind.DELETED:
            delete(self.declared, state, writer)
        elif kind is Kind.SAID:
            spoken, digests = self._things(episode, record)
            advance(self.declared, state, spoken, digests, writer)

    def _things(self, episode: Episode, record: dict[str, Any]) -> _Spoken:
        """What the record says, with digests; mapped anew only where what it reads differs."""
        if self.fields is None:
            return self._mapped(episode, record)
        carried = (episode.trust, episode.classification, episode.tags)
        print_ = fingerprint(record, self.fields, carried)
        last = self.mapped.get(episode.source_key)
        if last is None or last[0] != print_:
            last = (print_, self._mapped(episode, record))
            self.mapped[episode.source_key] = last
        return last[1]

    def _mapped(self, episode: Episode, record: dict[str, Any]) -> _Spoken:
        spoken = things(self.declared, record)
        return spoken, [self.digests.stated(thing, episode) for thing in spoken]

    def _check_order(self, episode: Episode) -> None:
        """A state older than one already taken must not overwrite it."""
        record, instant = episode.source_key, order_of(episode)
        newest = self.newest.get(record, self.taken.get(record))
        if instant is None or newest is None or instant >= newest:
            return
        raise InputError(
            f"the state of {record!r} as of {show(instant)} came after that of {show(newest)}",
            remedy="A state feed does not step back: land older states first, "
            "or state the correction in an events feed.",
            field="episode.occurred_at"
            if episode.occurred_at is not None
            else "episode.recorded_at",
        )

    def _known(self, target: str, op: Operation) -> bool:
        name = f"entity {target}"
        return (
            target in self.names
            or self.known(target)
            or (op is Operation.ERASE and name in self.names)
        )

    def _remember(self, episode: Episode, written: Sequence[Extracted]) -> None:
        self.names.add(episode.episode_id)
        for one in written:
            statement = one.statement
            self.names.add(statement.statement_id)
            self.names.add(f"entity {statement.subject}")
            if statement.object is not None and statement.object_kind == ENTITY:
                self.names.add(f"entity {statement.object}")
