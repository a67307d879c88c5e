"""What a source declares, as frozen values; `loading` reads them from its YAML.

A declaration says where records come from, what they carry, and how each becomes statements.
It is pure: it names files, it never opens them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lakehouse.model.listeners import Listener
from lakehouse.model.predicates import Cardinality, Predicate, PredicateSchema
from lakehouse.model.retention import Retention
from lakehouse.model.statements import CLASSIFICATION, TRUST
from pipelines.extract.expressions import Expression
from pipelines.extract.periods import Calendar


class Feed(StrEnum):
    """`events`: each record adds statements; `state`: each is the full state of its record."""

    EVENTS = "events"
    STATE = "state"


class OnGone(StrEnum):
    """What it means that a state no longer says a thing: never so, or over from now on."""

    WITHDRAW = "withdraw"
    SUPERSEDE = "supersede"


class OnDelete(StrEnum):
    """What the deletion of a record means for what it said."""

    END = "end"
    WITHDRAW = "withdraw"
    KEEP = "keep"


class OnReturn(StrEnum):
    """What the return of a deleted record means: the deletion was wrong, or it begins anew."""

    TAKE_BACK = "take_back"
    ANEW = "anew"


LOWEST_TRUST: Final = min(TRUST.values())
STRICTEST: Final = max(CLASSIFICATION.values())
"""What a record carries that states no trust and no classification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredicateRule:
    """A declared predicate, with types and with what gone, deleted and back mean.

    `by_type` has the rule of each subject type for which those mean something else.
    """

    predicate: Predicate
    subject_type: str = ""
    object_type: str = ""
    on_gone: OnGone = OnGone.WITHDRAW
    on_delete: OnDelete = OnDelete.KEEP
    on_return: OnReturn = OnReturn.TAKE_BACK
    by_type: Mapping[str, PredicateRule] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, subject_type: str) -> PredicateRule:
        """The rule for subjects of that type."""
        return self.by_type.get(subject_type, self)

    @property
    def many(self) -> bool:
        """True where each object is a key of its own."""
        return self.predicate.cardinality is Cardinality.MANY


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeFields:
    """Where a record carries what its episode's header says; None: not declared.

    `source` names the system that speaks, for events feeds that relay several.
    """

    id: Expression | None = None
    record: Expression | None = None
    version: Expression | None = None
    recorded_at: Expression | None = None
    occurred_at: Expression | None = None
    deletes: Expression | None = None
    unreadable: Expression | None = None
    who: Expression | None = None
    tags: Expression | None = None
    trust: Expression | None = None
    classification: Expression | None = None
    source: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadRule:
    """How raw records are kept: encrypted, or as they came; and whose data they hold.

    Where no subject is declared, or a record names none, they are under the tenant's own key.
    """

    encrypted: bool = True
    subjects: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementRule:
    """How a record, or each item of one of its lists, becomes a statement.

    `place` is the rule's path in the declaration. Every expression is asked of the item where
    `for_each` is given, else of the record.
    """

    place: str
    op: Expression
    for_each: Expression | None = None
    when: Expression | None = None
    subject: Expression | None = None
    subject_type: Expression | None = None
    predicate: Expression | None = None
    object: Expression | None = None
    object_kind: Expression | None = None
    object_type: Expression | None = None
    valid_from: Expression | None = None
    valid_to: Expression | None = None
    inclusive_ends: bool = False
    target: Expression | None = None
    trust: Expression | None = None
    classification: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One source. `path` is its YAML; `body` is what the YAML said, for `definitions`."""

    name: str
    tenant: str
    feed: Feed
    path: Path
    files: tuple[str, ...]
    episode: EpisodeFields
    statements: tuple[StatementRule, ...]
    payload: PayloadRule = PayloadRule()
    predicates: Mapping[str, PredicateRule] = field(default_factory=lambda: MappingProxyType({}))
    accept_unknown: bool = False
    on_delete: OnDelete = OnDelete.KEEP
    calendar: Calendar = field(default_factory=Calendar)
    snapshot: bool = False
    max_drop_share: float = 0.1
    listeners: tuple[Listener, ...] = ()
    retention: Retention = field(default_factory=Retention)
    body: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def schema(self) -> PredicateSchema:
        """The predicates this source declares, as the model knows them."""
        declared = {name: rule.predicate for name, rule in self.predicates.items()}
        return PredicateSchema(declared, self.accept_unknown)

    @property
    def attested(self) -> bool:
        """True where records carry the recorded instant themselves (imports)."""
        return self.episode.recorded_at is not None

    def rule_of(self, predicate: str, kind: str) -> PredicateRule:
        """The rule of a predicate; InputError for an undeclared one, unless accepted.

        An accepted unknown one is `one` of that object kind, and its gone values are withdrawn.
        """
        found = self.predicates.get(predicate)
        if found is not None:
            return found
        return PredicateRule(predicate=self.schema.of(predicate, kind), on_delete=self.on_delete)
