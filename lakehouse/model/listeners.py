"""A listener is a named rule over what statements carry: whom the reader listens to.

A set of listeners is an int, one bit each. Bits 0 to 3 are always *trust >= n*; a tenant
declares up to 56 more, in the order of their declaration (60 in all keeps the mask in int64).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from lakehouse.model.errors import ConfigurationError, InputError
from lakehouse.model.statements import TRUST_NAMES

MOST: Final = 60


@dataclass(frozen=True, slots=True)
class Listener:
    """Hears a statement when every given condition holds; an empty condition asks nothing."""

    name: str
    min_trust: int = 0
    sources: frozenset[str] = frozenset()
    max_classification: int | None = None
    tags: frozenset[str] = frozenset()

    def hears(self, trust: int, classification: int, source: str, tags: Sequence[str]) -> bool:
        """True when a statement that carries this is heard; one common tag is enough."""
        return (
            trust >= self.min_trust
            and (not self.sources or source in self.sources)
            and (self.max_classification is None or classification <= self.max_classification)
            and (not self.tags or not self.tags.isdisjoint(tags))
        )


ALWAYS_DECLARED: Final = tuple(
    Listener(name=f"trust>={level}", min_trust=level) for level in range(len(TRUST_NAMES))
)


@dataclass(frozen=True, slots=True)
class Listeners:
    """The listeners of a tenant, by bit."""

    declared: tuple[Listener, ...] = ()
    rules: tuple[Listener, ...] = field(init=False)
    _heard: dict[tuple[int, int, str, tuple[str, ...]], int] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        rules = ALWAYS_DECLARED + self.declared
        if len(rules) > MOST:
            raise ConfigurationError(
                f"{len(rules)} listeners declared, {MOST} fit", remedy="Remove some listeners."
            )
        names = [rule.name for rule in rules]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise ConfigurationError(
                f"listener {doubled[0]!r} is declared twice", remedy="Give each its own name."
            )
        object.__setattr__(self, "rules", rules)

    @property
    def everyone(self) -> int:
        """The mask with every listener's bit set."""
        return (1 << len(self.rules)) - 1

    def mask(self, trust: int, classification: int, source: str, tags: tuple[str, ...]) -> int:
        """Who hears a statement that carries this, as a mask."""
        carried = (trust, classification, source, tags)
        found = self._heard.get(carried)
        if found is None:
            found = sum(
                1 << bit
                for bit, rule in enumerate(self.rules)
                if rule.hears(trust, classification, source, tags)
            )
            self._heard[carried] = found
        return found

    def as_record(self) -> dict[str, object]:
        """The declared listeners as plain values, for `definitions`; `from_record` reads them."""
        return {
            "declared": [
                {
                    "name": rule.name,
                    "min_trust": rule.min_trust,
                    "sources": sorted(rule.sources),
                    "max_classification": rule.max_classification,
                    "tags": sorted(rule.tags),
                }
                for rule in self.declared
            ]
        }

    @classmethod
    def from_record(cls, body: Mapping[str, Any] | None) -> Listeners:
        """The listeners that `as_record` gave; None: only those that always exist."""
        return cls(
            tuple(
                Listener(
                    name=rule["name"],
                    min_trust=rule["min_trust"],
                    sources=frozenset(rule["sources"]),
                    max_classification=rule["max_classification"],
                    tags=frozenset(rule["tags"]),
                )
                for rule in (body or {"declared": ()})["declared"]
            )
        )

    def bit(self, name: str) -> int:
        """The listener's bit as a power of two; InputError names the known ones otherwise.

        `trust>=verified` is read like `trust>=2`.
        """
        wanted = name.replace(" ", "")
        for level, word in enumerate(TRUST_NAMES):
            if wanted == f"trust>={word}":
                wanted = f"trust>={level}"
        for bit, rule in enumerate(self.rules):
            if rule.name.replace(" ", "") == wanted:
                return 1 << bit
        raise InputError(
            f"unknown listener {name!r}",
            remedy="Known ones: " + ", ".join(rule.name for rule in self.rules) + ".",
        )
