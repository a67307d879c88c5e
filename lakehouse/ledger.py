"""The ledger port: what every store of the record promises (one contract suite tests all)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.ledger import BeliefChanges, Clock, Commit, Extracted, Publication, Stage, Told
from lakehouse.model.statements import Statement

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Landing:
    """What a landing did: counts, and the commits it made."""

    landed: int
    duplicates: int
    refused: int
    commits: tuple[Commit, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """What `lakehouse.iceberg.open_ledger` opens the same ledger by, in another process too.

    Settings may hold secrets: they are never shown.
    """

    home: Path
    environ: Mapping[str, str] = field(repr=False)


class Ledger(Protocol):
    """One ledger a tenant; every method is scoped to a tenant; instants are microseconds UTC."""

    @property
    def address(self) -> Address | None:
        """Where another process finds it; None where only this one has it."""
        ...

    def commits(self, tenant: str, *, after: int = 0, stage: Stage | None = None) -> list[Commit]:
        """The tenant's commits beyond a position, oldest first."""
        ...

    def land(
        self,
        tenant: str,
        episodes: Iterable[Episode | Refusal],
        *,
        chunk: int = 20_000,
        progress: Progress | None = None,
    ) -> Landing:
        """Append episodes in bounded memory, one commit a chunk; refusals go to quarantine.

        The same id with the same content (payload and metadata) is a duplicate and skipped; with
        other content it is quarantined. A refusal that is in quarantine already is counted, not
        kept twice. Nothing new, no commit. Nothing of a chunk is visible before its commit row.
        """
        ...

    def episodes(
        self, tenant: str, *, after: int, through: int, batch: int = 20_000
    ) -> Iterator[list[Episode]]:
        """Landed episodes of the commits in (after, through], in landing order, in batches."""
        ...

    def headers(
        self, tenant: str, episode_ids: Collection[str] | None = None
    ) -> dict[str, Episode]:
        """Episodes by id without payload (empty bytes); None asks for all."""
        ...

    def payload(self, tenant: str, episode_id: str) -> bytes:
        """The raw record; InputError for an unknown episode."""
        ...

    def append_statements(
        self,
        tenant: str,
        extracted: Sequence[Extracted],
        *,
        clock: Clock,
        through: int,
        refusals: Sequence[Refusal] = (),
    ) -> Commit:
        """Make statements known, all in one commit.

        Clock SYSTEM: their `recorded_at` is ignored and becomes the commit's stamp. ATTESTED:
        it is kept; ConflictError where it is not above `ledger_to` and every published watermark,
        decreases in the sequence, or lies in the future, and once the system has stamped any.
        `seq` is numbered by the ledger in the given order. ConflictError too where a statement id
        is known or `through` was consumed.
        """
        ...

    def statements(
        self,
        tenant: str,
        *,
        subjects: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        after: int = 0,
        through: int | None = None,
    ) -> list[Statement]:
        """Statements in ledger order, of the extract commits in (after, through].

        `subjects` and `ids` (statement ids, or episode ids) widen each other: a statement is
        given when its subject, its own id, its episode's id or its target (of either kind) is
        among them; both None asks for all.
        """
        ...

    def extracted(
        self, tenant: str, source: str, records: Collection[str] | None = None
    ) -> list[Extracted]:
        """What a state feed has said so far of these records, in ledger order."""
        ...

    def append_beliefs(self, tenant: str, changes: BeliefChanges, *, through: int) -> Commit:
        """Record what follows from the extract commits up to `through`.

        ConflictError where a belief was opened before or `through` was consumed already.
        """
        ...

    def belief_changes(self, tenant: str, *, after: int, through: int) -> BeliefChanges:
        """The changes of the believe commits in (after, through], merged in order.

        A belief opened and closed in that range comes as one closed belief.
        """
        ...

    def beliefs(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Belief]:
        """Every rectangle with its closing and strictest classification applied.

        Of the believe commits up to `through`; only those about `subjects` where given.
        """
        ...

    def supports(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Support]:
        """Every support box with its closing applied, restricted as `beliefs` are."""
        ...

    def told(
        self, tenant: str, positions: Sequence[int], *, subjects: Collection[str] | None = None
    ) -> list[Told]:
        """`beliefs` and `supports` through each of these positions, read together."""
        ...

    def publish(self, publication: Publication) -> None:
        """Record that a watermark became readable."""
        ...

    def publications(self, tenant: str) -> list[Publication]:
        """Publications of a tenant, oldest first."""
        ...

    def define(self, tenant: str, kind: str, name: str, body: Mapping[str, object]) -> bool:
        """Record a definition (`source`, `predicates`, `listeners`) when it differs; True if so."""
        ...

    def definitions(self, tenant: str, kind: str) -> dict[str, dict[str, object]]:
        """The newest version of each definition of that kind, by name."""
        ...

    def quarantined(self, tenant: str) -> list[Refusal]:
        """Refused input, oldest first."""
        ...

    def tenants(self) -> list[str]:
        """Tenants that hold a commit or a definition."""
        ...
