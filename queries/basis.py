"""A basis is all that fixes an answer: two instants, listener, clearance, and the graph's state.

A question's settings become one basis here and nowhere else. `known_at` above the watermark is
answered at the watermark, and the basis says so; with `strict` it is a ConflictError.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from lakehouse.keys import check_tenant
from lakehouse.model import instants
from lakehouse.model.errors import ConflictError, InputError, UnavailableError
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import CLASSIFICATION, CLASSIFICATION_NAMES
from queries import names

Instant = int | str | date | datetime
"""What a caller may give for an instant: µs UTC, ISO-8601 text, a date, or an aware datetime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What the graph says of itself for one tenant (its Projection node)."""

    position: int
    watermark: int | None
    epoch: int
    generation: int
    digest: str
    attested_to: int
    """Up to this recorded instant the clock is the sources'; ALWAYS where nothing was imported."""
    snapshots: Mapping[str, int | None] = field(default_factory=dict)
    """The lake's snapshot by table that the position was published from, where it is told."""
    differs_since: int | None = None
    """When a verification found that the graph differs from the lake, until it was found equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question's settings, instants parsed (µs UTC); None stands for the default."""

    tenant: str
    valid_at: int
    known_at: int | None
    listener: str
    listener_bit: int
    clearance: int
    strict: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What fixes an answer, echoed with it. Instants are µs UTC, clearance 0 to 3.

    `listener_bit` is the listener's bit as a power of two. `asked_known_at` is set where the
    question asked for more than was published and was answered at the watermark. `clock` is
    `attested` where the recorded instants up to `known_at` are those of an import's sources.
    `snapshots` names the lake's snapshot by table that the answer comes from, None an empty table.
    `differs_since` is set while the graph is known to differ from the lake.
    """

    tenant: str
    valid_at: int
    known_at: int
    listener: str
    listener_bit: int
    clearance: int
    position: int
    watermark: int
    epoch: int
    generation: int
    clock: str
    graph_digest: str
    asked_known_at: int | None = None
    snapshots: Mapping[str, int | None] = field(default_factory=dict)
    differs_since: int | None = None

    @property
    def rule(self) -> dict[str, int]:
        """The reading rule's parameters."""
        return {
            "valid_at": self.valid_at,
            "known_at": self.known_at,
            "listener": self.listener_bit,
            "clearance": self.clearance,
        }

    def notes(self) -> tuple[str, ...]:
        """What must be said in words beside an answer on this basis."""
        notes = []
        if self.asked_known_at is not None:
            notes.append(
                f"known_at {instants.show(self.asked_known_at)} is not published yet; answered at "
                f"the watermark {instants.show(self.known_at)}"
            )
        if self.clock == "attested":
            notes.append("recorded instants are as attested by the imported sources")
        if self.differs_since is not None:
            since = instants.show(self.differs_since)
            notes.append(
                f"at {since} the graph was found to differ from the lake, and not equal again "
                f"since: beliefgraph verify {self.tenant} names where, --repair mends it; "
                "ask --engine lake answers without it"
            )
        return tuple(notes)

    def as_record(self) -> dict[str, object]:
        """For JSON: instants as ISO-8601 text, the clearance by name."""
        asked = self.asked_known_at
        return {
            "tenant": self.tenant,
            "valid_at": instants.show(self.valid_at),
            "known_at": instants.show(self.known_at),
            "asked_known_at": None if asked is None else instants.show(asked),
            "listener": self.listener,
            "clearance": CLASSIFICATION_NAMES[self.clearance],
            "position": self.position,
            "watermark": instants.show(self.watermark),
            "epoch": self.epoch,
            "generation": self.generation,
            "clock": self.clock,
            "graph_digest": self.graph_digest,
            "snapshots": {
                name: None if one is None else str(one) for name, one in self.snapshots.items()
            },
            "notes": list(self.notes()),
        }


def asked(
    tenant: str,
    listeners: Listeners,
    *,
    valid_at: Instant | None = None,
    known_at: Instant | None = None,
    listener: str = "trust>=0",
    clearance: int | str,
    strict: bool = False,
    zone: tzinfo | None = None,
) -> Asked:
    """The settings checked and parsed; InputError names the setting that cannot be used."""
    check_tenant(names.text("tenant", tenant))
    return Asked(
        tenant=tenant,
        valid_at=now() if valid_at is None else instant("valid_at", valid_at, zone),
        known_at=None if known_at is None else instant("known_at", known_at, zone),
        listener=names.text("listener", listener),
        listener_bit=listeners.bit(listener),
        clearance=clearance_level(clearance),
        strict=strict,
    )


def clock_at(known_at: int, attested_to: int) -> str:
    """Whose clock a recorded instant is of; `attested_to` as in `State`."""
    return "attested" if known_at <= attested_to else "system"


def settle(asked: Asked, state: State) -> Basis:
    """The one basis that these settings have on the graph as it is now.

    UnavailableError before the first publication; ConflictError for a strict `known_at` above
    the watermark.
    """
    watermark = published(asked.tenant, state)
    wanted = watermark if asked.known_at is None else asked.known_at
    if wanted > watermark and asked.strict:
        raise ConflictError(
            f"known_at {instants.show(wanted)} is above the watermark of tenant "
            f"{asked.tenant!r}, {instants.show(watermark)}",
            remedy="Ask at or below the watermark, run `beliefgraph run` to move it, or leave "
            "out --strict to be answered at the watermark.",
            known_at=instants.show(wanted),
            watermark=instants.show(watermark),
        )
    known_at = min(wanted, watermark)
    return Basis(
        tenant=asked.tenant,
        valid_at=asked.valid_at,
        known_at=known_at,
        listener=asked.listener,
        listener_bit=asked.listener_bit,
        clearance=asked.clearance,
        position=state.position,
        watermark=watermark,
        epoch=state.epoch,
        generation=state.generation,
        clock=clock_at(known_at, state.attested_to),
        graph_digest=state.digest,
        asked_known_at=wanted if wanted > watermark else None,
        snapshots=state.snapshots,
        differs_since=state.differs_since,
    )


def published(tenant: str, state: State) -> int:
    """The watermark, µs UTC; UnavailableError where nothing was published yet."""
    if state.watermark is None:
        raise UnavailableError(
            f"nothing has been published for tenant {tenant!r} yet",
            remedy=f"Run `beliefgraph run {tenant}`: its last step publishes what was proved.",
            tenant=tenant,
        )
    return state.watermark


def reaching(basis: Basis, state: State) -> int:
    """The state's watermark; ConflictError where it lies below the basis's `known_at`."""
    if state.watermark is None or state.watermark < basis.known_at:
        raise ConflictError(
            f"the graph of tenant {basis.tenant!r} was rebuilt and does not reach known_at "
            f"{instants.show(basis.known_at)} any more",
            remedy="Ask anew; `beliefgraph run` completes the rebuild.",
        )
    return state.watermark


def instant(name: str, value: Instant, zone: tzinfo | None = None) -> int:
    """µs UTC of an instant given in any of the accepted forms; dates are midnights of `zone`."""
    if isinstance(value, bool) or not isinstance(value, int | str | date):
        raise InputError(f"{name} {value!r} is not an instant", remedy="Give ISO-8601 text.")
    if isinstance(value, int):
        if not instants.ALWAYS < value < instants.UNTIL_CHANGED:
            raise InputError(
                f"{name} {value} is outside the instants that can be asked",
                remedy="Give microseconds since 1970-01-01T00:00Z.",
            )
        return value
    if isinstance(value, datetime):
        return instants.from_datetime(value)
    if isinstance(value, date):
        return instants.from_date(value, zone or UTC)
    return instants.parse(value, zone)


def zone_named(name: str | None) -> tzinfo | None:
    """The zone of that IANA name; None for None."""
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        raise InputError(
            f"unknown zone {name!r}", remedy="Give an IANA name such as Europe/Berlin."
        ) from unknown


def clearance_level(clearance: int | str) -> int:
    """0 to 3 for a level or its name."""
    if isinstance(clearance, str):
        found = CLASSIFICATION.get(clearance)
        if found is not None:
            return found
    elif type(clearance) is int and clearance in range(len(CLASSIFICATION_NAMES)):
        return clearance
    raise InputError(
        f"unknown clearance {clearance!r}",
        remedy="Known ones: " + ", ".join(CLASSIFICATION_NAMES) + ".",
    )


def now() -> int:
    """The clock, µs UTC."""
    return time.time_ns() // 1_000
