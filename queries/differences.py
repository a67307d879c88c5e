"""What became different about an entity between two pairs of instants, with the evidence of both.

The words are those of `lakehouse.model.diff`; a belief that was only cut anew, or that another
episode says now, is no difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from lakehouse.model.diff import Change, Subject, Value
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER
from queries.answers import Believed, Record
from queries.basis import Basis, Instant, clock_at, instant

_B = TypeVar("_B", bound=Basis)


@dataclass(frozen=True, slots=True)
class Different:
    """One key whose value is another one; None where nothing is believed at that pair."""

    before: Believed | None
    after: Believed | None

    @property
    def kind(self) -> str:
        """`newly believed`, `no longer believed` or `changed`."""
        either = self.after or self.before
        assert either is not None
        about = Subject(either.subject, either.predicate, either.key)
        return Change(about, ALWAYS, FOREVER, _value(self.before), _value(self.after)).kind

    def as_record(self) -> Record:
        """For JSON."""
        before, after = self.before, self.after
        return {
            "kind": self.kind,
            "before": None if before is None else before.as_record(),
            "after": None if after is None else after.as_record(),
        }


@dataclass(frozen=True, slots=True)
class Differences:
    """All that is different, in the order in which beliefs are told; none is an answer too."""

    question: Mapping[str, object]
    before: Basis
    after: Basis
    changes: tuple[Different, ...]

    def as_record(self) -> Record:
        """For JSON: both bases with it."""
        return {
            "question": dict(self.question),
            "changes": [change.as_record() for change in self.changes],
            "before": self.before.as_record(),
            "basis": self.after.as_record(),
        }


def other_pair(basis: Basis, valid_at: Instant | None, known_at: Instant | None) -> tuple[int, int]:
    """The pair of instants (µs UTC) to compare a basis with; what is not given is the basis's own.

    InputError for a `known_at` above the basis's: it knows nothing of that.
    """
    valid = basis.valid_at if valid_at is None else instant("valid_at", valid_at)
    known = basis.known_at if known_at is None else instant("known_at", known_at)
    if known > basis.known_at:
        raise InputError(
            "a view cannot be compared with what became known after its known_at",
            remedy="Make the view at the later instant, and compare it with the earlier one.",
        )
    return valid, known


def at_pair(basis: _B, valid_at: int, known_at: int, attested_to: int) -> _B:
    """The same basis at another pair of instants, not above its own `known_at`."""
    return replace(
        basis,
        valid_at=valid_at,
        known_at=known_at,
        clock=clock_at(known_at, attested_to),
        asked_known_at=basis.asked_known_at if known_at == basis.known_at else None,
    )


def different(before: Iterable[Believed], after: Iterable[Believed]) -> tuple[Different, ...]:
    """The keys whose value differs; at one pair of instants a key has one value."""
    old, new = ({belief.key: belief for belief in told} for told in (before, after))
    found = [
        Different(old.get(key), new.get(key))
        for key in old.keys() | new.keys()
        if _value(old.get(key)) != _value(new.get(key))
    ]
    return tuple(sorted(found, key=lambda one: (one.after or one.before).order))  # type: ignore[union-attr]


def _value(belief: Believed | None) -> Value | None:
    return None if belief is None else Value(belief.object_kind, belief.object)
