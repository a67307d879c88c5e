"""The memory twin of the ledger: the same promises, for tests and trials; one process, no file.

What it admits, stamps and merges is decided by the modules that the Iceberg ledger uses too;
only the keeping differs.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakehouse.admission import (
    Landed,
    admit_episodes,
    canonical,
    check_new,
    land_in_chunks,
)
from lakehouse.drafts import check_place, draft_beliefs, draft_landing, draft_statements
from lakehouse.keys import DigestKey, check_tenant
from lakehouse.ledger import Landing, Progress
from lakehouse.merging import about, joined, merged, settled
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.ledger import BeliefChanges, Clock, Commit, Extracted, Publication, Stage
from lakehouse.model.statements import Statement
from lakehouse.stamping import Draft, Entry, Now, enter, select, system_clock
from lakehouse.vault import MemoryVault, Vault
from lakehouse.vault.bodies import (
    Kept,
    erased,
    keep_payloads,
    keep_refusals,
    payloads_of,
    refusals_of,
    unknown,
)


@dataclass(slots=True)
class _Held:
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


class MemoryLedger:
    """The port kept in memory. `now` stamps commits, `store_now` is the store's own clock."""

    def __init__(
        self,
        now: Now = system_clock,
        store_now: Now = system_clock,
        vault: Vault | None = None,
    ) -> None:
        self._vault = vault or MemoryVault()
        self._now = now
        self._store_now = store_now
        self._entries: list[Entry] = []
        self._tenants: defaultdict[str, _Held] = defaultdict(_Held)
        self._writing = threading.RLock()

    def commits(self, tenant: str, *, after: int = 0, stage: Stage | None = None) -> list[Commit]:
        """The tenant's commits beyond a position, oldest first."""
        return [entry.commit for entry in select(self._entries, tenant, stage, after=after)]

    def land(
        self,
        tenant: str,
        episodes: Iterable[Episode | Refusal],
        *,
        chunk: int = 20_000,
        progress: Progress | None = None,
    ) -> Landing:
        """Append episodes, one commit a chunk; nothing new, no commit."""
        check_tenant(tenant)
        return land_in_chunks(
            episodes, chunk, progress, lambda items: self._land_chunk(tenant, items)
        )

    def _land_chunk(self, tenant: str, items: Sequence[Episode | Refusal]) -> Landing:
        with self._writing:
            held = self._tenants[tenant]
            admitted = admit_episodes(tenant, items, held.landed, held.key)
            known = {receipt for receipt, _, _ in held.refusals}
            receipts = {held.key.of_refusal(r): r for r in admitted.refusals}
            refusals = [r for receipt, r in receipts.items() if receipt not in known]
            fresh = admitted.fresh
            counted = Landing(len(fresh), admitted.duplicates, len(admitted.refusals), ())
            if not fresh and not refusals:
                return counted
            landed_at = self._now()
            bodies = keep_payloads(self._vault, tenant, fresh)
            commit = self._commit(draft_landing(tenant, fresh, len(refusals)))
            for episode, digest, body in zip(fresh, admitted.digests, bodies, strict=True):
                name = episode.episode_id
                how = Protection(encrypted=bool(body.keys), keys=body.keys)
                header = replace(episode, landed_at=landed_at, payload=b"", protection=how)
                held.episodes[name] = (commit.position, header)
                held.landed[name] = Landed(digest, episode.location)
                held.bodies[name] = body
            self._refuse(tenant, refusals)
            return replace(counted, commits=(commit,))

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

    def append_statements(
        self,
        tenant: str,
        extracted: Sequence[Extracted],
        *,
        clock: Clock,
        through: int,
        refusals: Sequence[Refusal] = (),
    ) -> Commit:
        """Make statements known, all in one commit (checks: drafts)."""
        draft = draft_statements(
            tenant, extracted, refusals, clock=clock, through=through, now=self._now
        )
        with self._writing:
            held = self._tenants[tenant]
            watermark = max((p.watermark for p in held.publications), default=None)
            check_place(draft, self._entries, watermark)
            known = {row.statement.statement_id for _, row in held.extracted}
            check_new("statement", known & {e.statement.statement_id for e in extracted})
            commit = self._commit(replace(draft, above=watermark))
            seq = self._entries[-1].first_seq
            for place, row in enumerate(extracted):
                at = commit.recorded_at if draft.attested_to is None else row.statement.recorded_at
                said = replace(row.statement, seq=seq + place, recorded_at=at)
                held.extracted.append((commit.position, replace(row, statement=said)))
            self._refuse(tenant, refusals)
            return commit

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

    def append_beliefs(self, tenant: str, changes: BeliefChanges, *, through: int) -> Commit:
        """Record what follows from the extract commits up to `through`, once."""
        draft = draft_beliefs(tenant, changes, through=through)
        with self._writing:
            held = self._tenants[tenant]
            check_place(draft, self._entries, None)
            known = {b.belief_id for _, batch in held.changes for b in batch.opened}
            check_new("belief", known & {b.belief_id for b in changes.opened})
            commit = self._commit(draft)
            held.changes.append((commit.position, changes))
            return commit

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

    def publish(self, publication: Publication) -> None:
        """Record that a watermark became readable; told twice in a row, recorded once."""
        check_tenant(publication.tenant)
        with self._writing:
            told = self._tenants[publication.tenant].publications
            if told[-1:] != [publication]:
                told.append(publication)

    def publications(self, tenant: str) -> list[Publication]:
        """Publications of a tenant, oldest first."""
        return list(self._of(tenant).publications)

    def define(self, tenant: str, kind: str, name: str, body: Mapping[str, object]) -> bool:
        """Record a definition when it differs from the newest; True if so."""
        check_tenant(tenant)
        text = canonical(body)
        with self._writing:
            held = self._tenants[tenant].definitions
            differs = held.get((kind, name)) != text
            held[kind, name] = text
            return differs

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

    def _refuse(self, tenant: str, refusals: Sequence[Refusal]) -> None:
        held, bodies = self._tenants[tenant], keep_refusals(self._vault, tenant, refusals)
        for one, kept in zip(refusals, bodies, strict=True):
            told = replace(one, raw=b"", reason="" if kept.keys else one.reason)
            held.refusals.append((held.key.of_refusal(one), told, kept))

    def _of(self, tenant: str) -> _Held:
        return self._tenants[tenant] if tenant in self._tenants else _Held()

    def _batches(self, tenant: str, after: int, through: int | None) -> list[BeliefChanges]:
        return [
            batch
            for at, batch in self._of(tenant).changes
            if after < at and (through is None or at <= through)
        ]

    def _commit(self, draft: Draft) -> Commit:
        entry = enter(self._entries, draft, self._now, self._store_now)
        self._entries.append(entry)
        return entry.commit
