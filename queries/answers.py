"""Answers are frozen values: the basis, what is believed at it, and where that comes from.

`digest` names what the question fixed and what was answered, so that the same question at the
same instants has the same digest for ever; positions, epochs and watermarks are left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from lakehouse.model import instants
from lakehouse.model.statements import CLASSIFICATION, CLASSIFICATION_NAMES, TRUST_NAMES
from queries.basis import Basis

Record = dict[str, object]
RESTRICTED: Final = CLASSIFICATION["restricted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One statement behind a belief, with the metadata of its episode. Instants are µs UTC.

    `recorded_at` is when the statement became known; `attested` says whose clock that is.
    `trust` and `classification` are what it carried over the belief's rectangle.
    """

    statement_id: str
    episode_id: str
    source: str
    source_record: str
    location: str
    landed_at: int
    recorded_at: int
    attested: bool
    trust: int
    classification: int
    who: str | None = None
    tags: tuple[str, ...] = ()

    @property
    def verification(self) -> str:
        """The trust in words: `unverified` to `authoritative`."""
        return TRUST_NAMES[self.trust]

    def as_record(self) -> Record:
        """For JSON."""
        return {
            "statement": self.statement_id,
            "episode": self.episode_id,
            "source": self.source,
            "source_record": self.source_record,
            "location": self.location,
            "landed_at": instants.show(self.landed_at),
            "recorded_at": instants.show(self.recorded_at),
            "attested": self.attested,
            "trust": self.trust,
            "verification": self.verification,
            "classification": CLASSIFICATION_NAMES[self.classification],
            "who": self.who,
            "tags": list(self.tags),
        }


Supporters = Mapping[str, tuple[Evidence, ...]]
"""The evidence of all who support a belief, its origin first, by the belief's id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Believed:
    """One belief as read at a basis: what closed it after `known_at` is absent.

    `opened_by` and `closed_by` are statement ids, as `told_cause` tells them. `evidence` is its
    origin. `step` is the distance at which `neighbours` met it, else 0.
    """

    belief_id: str
    key: str
    subject: str
    predicate: str
    object: str
    object_kind: str
    valid_from: int
    valid_to: int
    recorded_from: int
    recorded_to: int
    valid_from_basis: str
    opened_by: str | None
    closed_by: str | None
    reason: str | None
    evidence: Evidence
    step: int = 0

    @property
    def erased(self) -> bool:
        """True where every support has been erased. A value may read `<erased>` and be none."""
        return self.object_kind == "erased"

    @property
    def order(self) -> tuple[int | str, ...]:
        """The order in which beliefs are told."""
        return (
            self.step,
            self.subject,
            self.predicate,
            self.object,
            self.valid_from,
            self.recorded_from,
            self.belief_id,
        )

    def as_record(self) -> Record:
        """For JSON."""
        record: Record = {
            "belief": self.belief_id,
            "subject": self.subject,
            "predicate": self.predicate,
            "object": self.object,
            "object_kind": self.object_kind,
            "valid_from": instants.show(self.valid_from),
            "valid_to": instants.show(self.valid_to),
            "valid_from_basis": self.valid_from_basis,
            "recorded_from": instants.show(self.recorded_from),
            "recorded_to": instants.show(self.recorded_to),
            "opened_by": self.opened_by,
            "closed_by": self.closed_by,
            "reason": self.reason,
            "evidence": None if self.erased else self.evidence.as_record(),
        }
        if self.step:
            record["step"] = self.step
        return record


def told_cause(cause: str | None, origin: str, clearance: int) -> str | None:
    """The statement that opened or closed a belief, for a reader who may know of it.

    It may be restricted to others, which the belief's edge does not tell: so below the highest
    clearance only a belief's own origin is named.
    """
    return cause if cause == origin or clearance >= RESTRICTED else None


@dataclass(frozen=True, slots=True)
class Path:
    """A chain of believed steps; all of them hold at the same pair of instants."""

    start: str
    end: str
    steps: tuple[Believed, ...]

    @property
    def length(self) -> int:
        """The number of steps."""
        return len(self.steps)

    def as_record(self) -> Record:
        """For JSON: the steps by belief id (the beliefs stand once in the answer)."""
        return {
            "start": self.start,
            "end": self.end,
            "length": self.length,
            "steps": [step.belief_id for step in self.steps],
        }


@dataclass(frozen=True)
class Answer:
    """What is believed at a basis. Nothing known is an answer too."""

    question: Mapping[str, object]
    basis: Basis
    beliefs: tuple[Believed, ...]
    paths: tuple[Path, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Names question, basis and answer; worked out when it is first asked for."""
        fixed = {
            "tenant": self.basis.tenant,
            "valid_at": self.basis.valid_at,
            "known_at": self.basis.known_at,
            "listener": self.basis.listener,
            "clearance": self.basis.clearance,
        }
        text = json.dumps(
            {"basis": fixed, **self._content()},
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    @property
    def nothing(self) -> bool:
        """True when nothing is known."""
        return not self.beliefs

    @property
    def values(self) -> frozenset[str]:
        """The believed objects; of paths, their ends."""
        if self.paths:
            return frozenset(path.end for path in self.paths)
        return frozenset(belief.object for belief in self.beliefs)

    @property
    def subjects(self) -> frozenset[str]:
        """Who it is believed of; of paths, their starts (`holders` asks for these)."""
        if self.paths:
            return frozenset(path.start for path in self.paths)
        return frozenset(belief.subject for belief in self.beliefs)

    def as_record(self) -> Record:
        """The one success shape of every surface."""
        return {**self._content(), "basis": self.basis.as_record(), "digest": self.digest}

    def _content(self) -> Record:
        record: Record = {
            "question": dict(self.question),
            "beliefs": [belief.as_record() for belief in self.beliefs],
        }
        if self.paths:
            record["paths"] = [path.as_record() for path in self.paths]
        return record
