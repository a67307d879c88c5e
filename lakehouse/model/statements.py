"""A statement is one thing an episode says; the ledger orders them by (`recorded_at`, `seq`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED


class Operation(StrEnum):
    """What a statement does to the ledger (DESIGN section 3.2)."""

    ASSERT = "assert"
    END = "end"
    RETRACT = "retract"
    WITHDRAW = "withdraw"
    MARK = "mark"
    ERASE = "erase"


PAINTING: Final = frozenset({Operation.ASSERT, Operation.END, Operation.RETRACT})
"""Operations that speak about a key and a valid period."""
UNDOING: Final = frozenset({Operation.WITHDRAW, Operation.MARK})
"""Operations that reach earlier statements by statement or episode id."""

_ASSERT: Final = Operation.ASSERT
_END: Final = Operation.END

TRUST: Final[Mapping[str, int]] = MappingProxyType(
    {"unverified": 0, "reported": 1, "verified": 2, "authoritative": 3}
)
CLASSIFICATION: Final[Mapping[str, int]] = MappingProxyType(
    {"public": 0, "internal": 1, "confidential": 2, "restricted": 3}
)
TRUST_NAMES: Final = tuple(TRUST)
CLASSIFICATION_NAMES: Final = tuple(CLASSIFICATION)
ENTITY: Final = "entity"
"""The object kind that names another entity; every other kind is a literal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One operation of the ledger.

    Instants are microseconds UTC. `object` is the canonical text of the value, or an entity's
    id when `object_kind` is "entity"; None on `end` and `retract` reaches every object.
    `valid_to` is `UNTIL_CHANGED` where no end was stated. A `retract` without an end runs to
    `FOREVER`, without any bound from `ALWAYS`. `target` is a statement, episode or (erase only)
    entity id. A mark carries what changes in `mark_trust` and `mark_classification`.
    """

    tenant: str
    statement_id: str
    op: Operation
    recorded_at: int
    seq: int
    episode_id: str
    subject: str = ""
    predicate: str = ""
    object: str | None = None
    object_kind: str = ENTITY
    subject_type: str = ""
    object_type: str = ""
    valid_from: int = ALWAYS
    valid_to: int = UNTIL_CHANGED
    valid_from_basis: str = "stated"
    trust: int = 0
    classification: int = 0
    source: str = ""
    tags: tuple[str, ...] = ()
    target: str | None = None
    mark_trust: int | None = None
    mark_classification: int | None = None
    erased: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """By what an operation may aim at it: its id, its episode, the entities it speaks of."""
        own = (self.statement_id, self.episode_id)
        if self.op not in PAINTING:
            return own
        if self.object is not None and self.object_kind == ENTITY:
            return (*own, self.subject, self.object)
        return (*own, self.subject)

    @property
    def order(self) -> tuple[int, int]:
        """Place in the tenant's ledger."""
        return (self.recorded_at, self.seq)

    @property
    def until_changed(self) -> bool:
        """True where the period yields to what begins later (DESIGN section 3.3)."""
        op = self.op
        return (self.valid_to == UNTIL_CHANGED and op is _ASSERT) or op is _END

    @property
    def reaches(self) -> bool:
        """True where the period holds an instant; one that is empty or reversed holds none."""
        return self.valid_from < UNTIL_CHANGED and self.valid_from < self.end

    @property
    def end(self) -> int:
        """Exclusive end on the valid axis with both open ends as one instant, `FOREVER`."""
        to = self.valid_to
        return FOREVER if to >= UNTIL_CHANGED or self.op is _END else to

    def speaks_of(self, subjects: Collection[str], ids: Collection[str]) -> bool:
        """Is its subject or target among `subjects`, or itself, its episode or target in `ids`?"""
        return (
            self.subject in subjects
            or self.statement_id in ids
            or self.episode_id in ids
            or self.target in subjects
            or self.target in ids
        )
