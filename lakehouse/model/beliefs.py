"""A belief is a rectangle, valid period x recorded period, with one originating statement.

`live` is the reading rule of DESIGN section 6 in one expression; the graph's Cypher and the
lake's SQL state the same rule in their own words.
"""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Final, NamedTuple

from lakehouse.model.instants import FOREVER
from lakehouse.model.statements import ENTITY

ERASED: Final = "<erased>"
"""What a belief reads whose every support has been erased."""


class Reason(StrEnum):
    """Why a belief was closed (DESIGN section 3.8)."""

    CORRECTED = "corrected"
    CHANGED = "changed"
    ENDED = "ended"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"
    MARKED = "marked"


class Belief(NamedTuple):
    """What follows from the statements heard, over one rectangle.

    `heard_at` is when its origin became known, which may be long before `recorded_from`.
    `listeners` is a mask (model.listeners). `trust` and `classification` are what the origin
    carried over the rectangle; `strictest` is the strictest classification that origin and
    supporters carried at any instant up to now, which decides who may read it, and
    `tightened` the later recorded instants at which it became stricter, each with its level.
    `object` is None where every support has been erased.
    """

    tenant: str
    belief_id: str
    key: str
    subject: str
    predicate: str
    object: str | None
    object_kind: str
    subject_type: str
    object_type: str
    valid_from: int
    valid_to: int
    recorded_from: int
    heard_at: int
    listeners: int
    origin: str
    episode_id: str
    valid_from_basis: str
    trust: int
    classification: int
    strictest: int
    opened_by: str
    recorded_to: int = FOREVER
    tightened: tuple[tuple[int, int], ...] = ()
    closed_by: str | None = None
    reason: Reason | None = None

    @property
    def value(self) -> str:
        """The believed value as read: the object, or `<erased>`."""
        return ERASED if self.object is None else self.object

    @property
    def linked(self) -> str | None:
        """The entity that it links to; None for a literal and for an erased slot."""
        return self.object if self.object_kind == ENTITY else None


class Support(NamedTuple):
    """A further supporter of a belief over one box inside it (the origin has no box).

    `heard_at` is when its statement became known.
    """

    tenant: str
    support_id: str
    belief_id: str
    statement_id: str
    episode_id: str
    subject: str
    valid_from: int
    valid_to: int
    recorded_from: int
    heard_at: int
    listeners: int
    trust: int
    classification: int
    recorded_to: int = FOREVER


def live(box: Belief | Support, valid_at: int, known_at: int, listener: int) -> bool:
    """True when the box is believed at (valid_at, known_at) by the listener with that bit."""
    return (
        box.valid_from <= valid_at < box.valid_to
        and box.recorded_from <= known_at < box.recorded_to
        and bool(box.listeners & listener)
    )


def key_of(tenant: str, subject: str, predicate: str, object_: str | None = None) -> str:
    """The key's stable id: 128-bit hash of its parts (`object_` for `many` predicates only)."""
    return identity(tenant, subject, predicate, *(() if object_ is None else (object_,)))


def identity(*parts: object) -> str:
    """32 hex digits that name these parts: BLAKE2b-128 over their texts as netstrings."""
    texts = [str(part) for part in parts]
    joined = "".join([f"{len(text)}:{text}," for text in texts])
    return hashlib.blake2b(joined.encode(), digest_size=16).hexdigest()
