"""The reading half of the ledger's memory twin: what each tenant holds, given as the port says."""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from lakehouse.admission import (
    Landed,
)
from lakehouse.keys import DigestKey
from lakehouse.merging import about, joined, merged, settled
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.ledger import BeliefChanges, Commit, Extracted, Publication, Stage, Told
from lakehouse.model.statements import Statement
from lakehouse.stamping import Entry, select
from lakehouse.vault import Vault
from lakehouse.vault.bodies import (
    Kept,
    erased,
    payloads_of,
    refusals_of,
    unknown,
)


@dataclass(slots=True)
class Held:
    """What one tenant holds, in ledger order; batches by their commit's position."""

    key: DigestKey = field(default_factory=lambda: DigestKey(secrets.token_bytes(32)))
    episodes: dict[str, tuple[int, Episode]] = field(default_factory=dict)
    bodies: dict[str, Kept] = field(default_factory=dict)
    landed: dict[str, Landed] = field(default_factory=dict)
    refusals: list[tuple[str, Refusal, Kept]] = field(default_factory=list)
    extracted: list[tuple[int, Extracted]] = field(default_factory=list)
    changes: list[tuple[int, BeliefChanges]] = field(default_factory=list)
    publications: list[Publication] = field(default_factory=list)
    definitions: dict[tuple[str, str], str] = field(default_factory=dict)


class MemoryReader:
    """Every reading method of the port (their promises stand there)."""

    address = None
    """It is in this process alone."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._entries: list[Entry] = []
        self._tenants: defaultdict[str, Held] = defaultdict(Held)

    def commits(self, tenant: str, *, after: int = 0, stage: Stage | None = None) -> list[Commit]:
        """The tenant's commits beyond a position, oldest first."""
        return [entry.commit for entry in select(self._entries, tenant, stage, after=after)]

    def episodes(
        self, tenant: str, *, after: int, through: int, batch: int = 20_000
    ) -> Iterator[list[Episode]]:
        """Landed episodes of the commits in (after, through], in landing order, in batches."""
        found = [e for at, e in self._of(tenant).episodes.values() if after < at <= through]
        for begin in range(0, len(found), batch):
            part = found[begin : begin + batch]
            bodies = self._payloads(tenant, [one.episode_id for one in part])
            yield [
                replace(one, payload=body or b"", erased=body is None)
                for one, body in zip(part, bodies, strict=True)
            ]

    def headers(
        self, tenant: str, episode_ids: Collection[str] | None = None
    ) -> dict[str, Episode]:
        """Episodes by id without payload; all if no ids are given."""
        wanted = None if episode_ids is None else set(episode_ids)
        return {
            name: episode
            for name, (_, episode) in self._of(tenant).episodes.items()
            if wanted is None or name in wanted
        }

    def payload(self, tenant: str, episode_id: str) -> bytes:
        """The raw record; InputError for an unknown episode."""
        if episode_id not in self._of(tenant).episodes:
            raise unknown(episode_id)
        (body,) = self._payloads(tenant, [episode_id])
        if body is None:
            raise erased(episode_id)
        return body

    def statements(
        self,
        tenant: str,
        *,
        subjects: Collection[str] | None = None,
        ids: Collection[str] | None = None,
        after: int = 0,
        through: int | None = None,
    ) -> list[Statement]:
        """Statements in ledger order, of the extract commits in (after, through]."""
        about, named = set(subjects or ()), set(ids or ())
        everything = subjects is None and ids is None
        return [
            row.statement
            for at, row in self._of(tenant).extracted
            if after < at
            and (through is None or at <= through)
            and (everything or row.statement.speaks_of(about, named))
        ]

    def extracted(
        self, tenant: str, source: str, records: Collection[str] | None = None
    ) -> list[Extracted]:
        """What a state feed has said so far of these records, in ledger order."""
        wanted = None if records is None else set(records)
        return [
            row
            for _, row in self._of(tenant).extracted
            if row.statement.source == source and (wanted is None or row.record in wanted)
        ]

    def belief_changes(self, tenant: str, *, after: int, through: int) -> BeliefChanges:
        """The changes of the believe commits in (after, through], merged in order."""
        return merged(joined(self._batches(tenant, after, through)))

    def beliefs(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Belief]:
        """Every rectangle with its closing and strictest classification applied."""
        return about(settled(joined(self._batches(tenant, 0, through))).opened, subjects)

    def supports(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Support]:
        """Every support box with its closing applied."""
        return about(settled(joined(self._batches(tenant, 0, through))).supports_opened, subjects)

    def told(
        self, tenant: str, positions: Sequence[int], *, subjects: Collection[str] | None = None
    ) -> list[Told]:
        """Both through each of these positions."""
        return [
            Told(
                self.beliefs(tenant, subjects=subjects, through=at),
                self.supports(tenant, subjects=subjects, through=at),
            )
            for at in positions
        ]

    def publications(self, tenant: str) -> list[Publication]:
        """Publications of a tenant, oldest first."""
        return list(self._of(tenant).publications)

    def definitions(self, tenant: str, kind: str) -> dict[str, dict[str, object]]:
        """The newest version of each definition of that kind, by name."""
        held = sorted(self._of(tenant).definitions.items())
        return {name: json.loads(text) for (of, name), text in held if of == kind}

    def quarantined(self, tenant: str) -> list[Refusal]:
        """Refused input, oldest first."""
        held = self._of(tenant).refusals
        told, kept = [told for _, told, _ in held], [kept for _, _, kept in held]
        return refusals_of(self._vault, tenant, told, kept)

    def tenants(self) -> list[str]:
        """Tenants that hold a commit or a definition, sorted."""
        defining = {name for name, held in self._tenants.items() if held.definitions}
        return sorted(defining | {entry.commit.tenant for entry in self._entries})

    def _payloads(self, tenant: str, names: Sequence[str]) -> list[bytes | None]:
        bodies = self._of(tenant).bodies
        return payloads_of(self._vault, tenant, names, [bodies[name] for name in names])

    def _of(self, tenant: str) -> Held:
        return self._tenants[tenant] if tenant in self._tenants else Held()

    def _batches(self, tenant: str, after: int, through: int | None) -> list[BeliefChanges]:
        return [
            batch
            for at, batch in self._of(tenant).changes
            if after < at and (through is None or at <= through)
        ]
