"""A basis that the lake answers at: it names the snapshots that were read, and the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from queries.basis import Basis

ENGINE: Final = "lake"


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeBasis(Basis):
    """A basis answered by the lake: `snapshots` are those that were read.

    `proof` says how the snapshots that another basis named bear on this answer, if any did.
    """

    proof: tuple[str, ...] = ()

    def notes(self) -> tuple[str, ...]:
        """What must be said in words beside an answer on this basis."""
        return (*Basis.notes(self), "answered by the lake without the graph", *self.proof)

    def as_record(self) -> dict[str, object]:
        """For JSON, with `engine`."""
        return {**Basis.as_record(self), "engine": ENGINE}
