"""What predicates a tenant declares: cardinality and the kind of their object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from lakehouse.model.errors import InputError
from lakehouse.model.statements import ENTITY


class Cardinality(StrEnum):
    """`one`: at most one value at a time; `many`: each object is a key of its own."""

    ONE = "one"
    MANY = "many"


LITERAL_KINDS: Final = frozenset({"string", "integer", "decimal", "boolean", "date", "instant"})
OBJECT_KINDS: Final = LITERAL_KINDS | {ENTITY}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A declared predicate."""

    name: str
    cardinality: Cardinality = Cardinality.ONE
    object_kind: str = "string"


@dataclass(frozen=True, slots=True)
class PredicateSchema:
    """The declared predicates; an undeclared one is refused unless `accept_unknown` is set."""

    declared: Mapping[str, Predicate] = field(default_factory=dict)
    accept_unknown: bool = False

    def of(self, name: str, kind: str = "string") -> Predicate:
        """The predicate of that name; with `accept_unknown` a new one is `one` of `kind`."""
        found = self.declared.get(name)
        if found is not None:
            return found
        if self.accept_unknown:
            return Predicate(name, Cardinality.ONE, kind)
        raise InputError(
            f"unknown predicate {name!r}",
            remedy="Declare it with its cardinality and object kind, or set "
            "accept_unknown_predicates. Declared: " + ", ".join(sorted(self.declared)) + ".",
        )
