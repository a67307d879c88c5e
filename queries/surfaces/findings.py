"""What a check of `doctor` finds: how bad it is, what it is, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad it is: `note` is worth knowing, `problem` stands in the way."""

    FINE = "fine"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found; a problem has a category of `EXIT_CODES`."""

    check: str
    level: Level
    message: str
    remedy: str = ""
    category: str = "configuration"

    def as_record(self) -> dict[str, str]:
        """For JSON."""
        record = {"check": self.check, "level": self.level.value, "message": self.message}
        if self.level is Level.PROBLEM:
            record |= {"remedy": self.remedy, "category": self.category}
        elif self.remedy:
            record["remedy"] = self.remedy
        return record


Check = Callable[[Mapping[str, str]], Iterator[Finding]]
