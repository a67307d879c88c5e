"""What the lake keeps and hands over, as values: commits, extracted statements, belief changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from lakehouse.model.beliefs import Belief, Reason, Support
from lakehouse.model.statements import Statement


class Stage(StrEnum):
    """The stages of the line that end in a commit."""

    LAND = "land"
    EXTRACT = "extract"
    BELIEVE = "believe"


class Clock(StrEnum):
    """Who vouches for recorded instants: the system, or an import's sources."""

    SYSTEM = "system"
    ATTESTED = "attested"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One row of `commits`, the only linearisation point.

    `position` is contiguous over the lake from 1. `recorded_at` is the system's stamp,
    strictly increasing (µs UTC). `through` is the position of the upstream commit that this
    batch has consumed (0 for `land`). `ledger_to` is the highest recorded instant of a
    statement in the tenant's ledger after this commit.
    """

    position: int
    tenant: str
    stage: Stage
    recorded_at: int
    clock: Clock
    batch_id: str
    through: int
    ledger_to: int
    counts: Mapping[str, int] = field(default_factory=dict)
    snapshots: Mapping[str, int] = field(default_factory=dict)
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A statement with what a state feed needs to find it again.

    `record` is the source's record, `stated` a keyed digest of the statement as stated before
    defaults, `undoes` the statement id that this operation takes out of the record's state
    (a withdrawal's or end's), "" otherwise.
    """

    statement: Statement
    record: str = ""
    stated: str = ""
    undoes: str = ""


@dataclass(frozen=True, slots=True)
class Closing:
    """A belief opened by an earlier batch is closed at `recorded_to`."""

    belief_id: str
    recorded_to: int
    closed_by: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Tightening:
    """From `recorded_at` on a stricter classification is carried; it hides the past too."""

    belief_id: str
    recorded_at: int
    strictest: int


@dataclass(frozen=True, slots=True)
class SupportClosing:
    """A support box opened by an earlier batch is closed."""

    support_id: str
    recorded_to: int


@dataclass(frozen=True, slots=True)
class Told:
    """Rectangles and support boxes as of one believe commit, closings applied."""

    beliefs: Sequence[Belief]
    supports: Sequence[Support]


@dataclass(frozen=True, slots=True)
class BeliefChanges:
    """What one batch changes. What opens and closes within the batch is one closed belief."""

    opened: tuple[Belief, ...] = ()
    closed: tuple[Closing, ...] = ()
    tightened: tuple[Tightening, ...] = ()
    supports_opened: tuple[Support, ...] = ()
    supports_closed: tuple[SupportClosing, ...] = ()
    removed: tuple[str, ...] = ()
    """Belief ids that an erasure took back; what stands in their place is among `opened`."""
    supports_removed: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """True when nothing changes."""
        return not (
            self.opened
            or self.closed
            or self.tightened
            or self.supports_opened
            or self.supports_closed
            or self.removed
            or self.supports_removed
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """When a watermark became readable."""

    tenant: str
    position: int
    watermark: int
    published_at: int
    digest: str
    epoch: int
