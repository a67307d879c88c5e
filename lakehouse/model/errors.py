"""Errors as facts: one root, few categories, each with the place and the remedy.

A surface never invents wording: it prints `message` and `remedy`, and maps `category`
to its own code through `EXIT_CODES` (shell) and `HTTP_STATUS` (web).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar, Final


class BeliefgraphError(Exception):
    """Root of every error this product raises on purpose.

    `message` names the thing and the place, `remedy` says what to do next, `facts` carries
    the values the sentence was made of (never secrets, never erased plaintext).
    """

    category: ClassVar[str] = "internal"

    def __init__(self, message: str, *, remedy: str = "", **facts: object) -> None:
        self.message = message
        self.remedy = remedy
        self.facts: Mapping[str, object] = MappingProxyType(dict(facts))
        super().__init__(f"{message} {remedy}".strip())

    def as_record(self) -> dict[str, object]:
        """The one error shape of every surface: category, message, remedy, facts."""
        return {
            "category": self.category,
            "message": self.message,
            "remedy": self.remedy,
            "facts": {name: str(value) for name, value in self.facts.items()},
        }


class InputError(BeliefgraphError):
    """What the caller gave cannot be used as it stands."""

    category = "input"


class ConfigurationError(BeliefgraphError):
    """A declaration, setting or environment variable is wrong."""

    category = "configuration"


class UnavailableError(BeliefgraphError):
    """A server, file or package that is needed cannot be reached now."""

    category = "unavailable"


class ConflictError(BeliefgraphError):
    """Somebody else was first, or the world is not as the caller assumed."""

    category = "conflict"


class IntegrityError(BeliefgraphError):
    """Stored things disagree with each other: graph with lake, lock with file."""

    category = "integrity"


class ErasedError(BeliefgraphError):
    """It was here, and was erased for good: not missing, and nothing brings it back."""

    category = "erased"


class PartialError(BeliefgraphError):
    """The work was done, except for input that was refused and kept in quarantine."""

    category = "partial"


EXIT_CODES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "internal": 70,
        "input": 2,
        "configuration": 78,
        "unavailable": 69,
        "conflict": 75,
        "integrity": 65,
        "erased": 66,
        "partial": 3,
    }
)
"""Category to shell exit code, after sysexits.h; 2 is the convention for wrong usage."""

HTTP_STATUS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "internal": 500,
        "input": 400,
        "configuration": 500,
        "unavailable": 503,
        "conflict": 409,
        "integrity": 500,
        "erased": 410,
        "partial": 207,
    }
)
