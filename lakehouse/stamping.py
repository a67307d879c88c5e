"""What a commit is given: the next position, a stamp above the last one, the next `seq`.

Stamp = max(clock, last + 1 µs), one for all that becomes known together. A clock that jumped
ahead by more than `MOST_AHEAD` since the last commit is believed only if the store's own clock
agrees. Pure: the memory twin and the Iceberg ledger both number their commits here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.model.instants import ALWAYS, show
from lakehouse.model.ledger import Clock, Commit, Stage

Now = Callable[[], int]
"""A clock: microseconds UTC."""
MOST_AHEAD: Final = 3_600_000_000
"""How far a clock may jump ahead unquestioned: one hour in microseconds."""


def system_clock() -> int:
    """Microseconds UTC of this machine's clock."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A commit before it has its place: all but position, stamp, `ledger_to` and first `seq`.

    `statements` counts what it adds to the tenant's ledger; `attested_from` and `attested_to` are
    the first and last attested instant among them (µs UTC), None under the system's clock. `above`
    is an instant that the stamp must lie above beside the last one: what has been published.
    """

    tenant: str
    stage: Stage
    batch_id: str
    clock: Clock = Clock.SYSTEM
    through: int = 0
    statements: int = 0
    attested_from: int | None = None
    attested_to: int | None = None
    above: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    snapshots: Mapping[str, int] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A commit and the `seq` of its first statement (statements of one batch count on)."""

    commit: Commit
    first_seq: int


def stamp(last: int | None, now: Now, store_now: Now) -> int:
    """The recorded instant of the next commit (µs UTC), above `last`.

    ConflictError where the clock jumped ahead and the store's own clock disagrees.
    """
    instant = now()
    if last is None or instant - last > MOST_AHEAD:
        store = store_now()
        if instant - store > MOST_AHEAD:
            raise ConflictError(
                f"the clock says {show(instant)}, the store's own clock {show(store)}",
                remedy="Nothing was recorded. Set this machine's clock right, then run again.",
                clock=instant,
                store=store,
            )
    return instant if last is None else max(instant, last + 1)


def enter(entries: Sequence[Entry], draft: Draft, now: Now, store_now: Now) -> Entry:
    """The draft as the next entry after `entries` (all of the lake's, oldest first)."""
    last = entries[-1].commit if entries else None
    floors = [last.recorded_at] if last else []
    floors += [draft.above] if draft.above is not None else []
    recorded_at = stamp(max(floors, default=None), now, store_now)
    if draft.statements:  # Whatever the clock has done since what the ledger holds was attested.
        recorded_at = max(recorded_at, ledger_to(entries, draft.tenant) + 1)
        recorded_at = max(recorded_at, (draft.attested_to or ALWAYS) + 1)
    commit = Commit(
        position=last.position + 1 if last else 1,
        tenant=draft.tenant,
        stage=draft.stage,
        recorded_at=recorded_at,
        clock=draft.clock,
        batch_id=draft.batch_id,
        through=draft.through,
        ledger_to=_ledger_to(entries, draft, recorded_at),
        counts=dict(draft.counts),
        snapshots=dict(draft.snapshots),
        digest=draft.digest,
    )
    return Entry(commit, next_seq(entries, draft.tenant))


def _ledger_to(entries: Sequence[Entry], draft: Draft, recorded_at: int) -> int:
    if not draft.statements:
        return ledger_to(entries, draft.tenant)
    return recorded_at if draft.attested_to is None else draft.attested_to


def ledger_to(entries: Sequence[Entry], tenant: str) -> int:
    """Highest recorded instant of the tenant's ledger (µs UTC); `ALWAYS` while it is empty."""
    last = latest(entries, tenant)
    return last.commit.ledger_to if last else ALWAYS


def next_seq(entries: Sequence[Entry], tenant: str) -> int:
    """The `seq` that follows the tenant's last statement, from 0."""
    last = latest(entries, tenant, Stage.EXTRACT)
    return last.first_seq + last.commit.counts.get("statements", 0) if last else 0


def latest(entries: Sequence[Entry], tenant: str, stage: Stage | None = None) -> Entry | None:
    """The tenant's last entry, of one stage if given."""
    for entry in reversed(entries):
        if entry.commit.tenant == tenant and stage in (None, entry.commit.stage):
            return entry
    return None


def select(
    entries: Sequence[Entry],
    tenant: str,
    stage: Stage | None = None,
    *,
    after: int = 0,
    through: int | None = None,
) -> list[Entry]:
    """The tenant's entries with a position in (after, through], oldest first."""
    return [
        entry
        for entry in entries
        if entry.commit.tenant == tenant
        and stage in (None, entry.commit.stage)
        and after < entry.commit.position
        and (through is None or entry.commit.position <= through)
    ]


def check_contiguous(entries: Sequence[Entry]) -> None:
    """IntegrityError where positions are not 1, 2, 3, … or stamps do not rise."""
    last = 0
    for expected, entry in enumerate(entries, start=1):
        commit = entry.commit
        if commit.position != expected or (expected > 1 and commit.recorded_at <= last):
            raise IntegrityError(
                f"commits: expected position {expected} with a later stamp, found "
                f"{commit.position} at {show(commit.recorded_at)}",
                remedy="Read no further; restore the commits table from a snapshot.",
                position=commit.position,
            )
        last = commit.recorded_at
