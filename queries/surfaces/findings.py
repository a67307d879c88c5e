"""What a check of `doctor` looks at, and what it finds: how bad it is, what it is, what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING

from graph.server import ServerStatus, home_from, status

if TYPE_CHECKING:
    from lakehouse.iceberg import IcebergLedger


@dataclass(frozen=True)
class Premises:
    """What the checks look at: the environment, and its server and lake, looked for once."""

    environ: Mapping[str, str]

    @cached_property
    def server(self) -> ServerStatus:
        """What the Neo4j server is doing."""
        return status(self.environ)

    @property
    def served(self) -> bool:
        """Is there a server that can be asked?"""
        return self.server.state in ("running", "external")

    @cached_property
    def ledger(self) -> IcebergLedger | None:
        """The lake's ledger; None where there is no lake."""
        from lakehouse.iceberg import find_ledger  # noqa: PLC0415  (heavy)

        return find_ledger(home_from(self.environ), self.environ)


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


Check = Callable[[Premises], Iterator[Finding]]
