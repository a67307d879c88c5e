"""The memory twin of the ledger: the same promises, for tests and trials; one process, no file.

What it admits, stamps and merges is decided by the modules that the Iceberg ledger uses too;
only the keeping differs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from lakehouse.admission import (
    Landed,
    admit_episodes,
    canonical,
    check_new,
    land_in_chunks,
)
from lakehouse.drafts import check_place, draft_beliefs, draft_landing, draft_statements
from lakehouse.keys import check_tenant
from lakehouse.ledger import Landing, Progress
from lakehouse.memory_reader import MemoryReader
from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.ledger import BeliefChanges, Clock, Commit, Extracted, Publication
from lakehouse.stamping import Draft, Now, enter, system_clock
from lakehouse.vault import MemoryVault, Vault
from lakehouse.vault.bodies import keep_payloads, keep_refusals


class MemoryLedger(MemoryReader):
    """The port kept in memory. `now` stamps commits, `store_now` is the store's own clock."""

    def __init__(
        self,
        now: Now = system_clock,
        store_now: Now = system_clock,
        vault: Vault | None = None,
    ) -> None:
        super().__init__(vault or MemoryVault())
        self._now = now
        self._store_now = store_now
        self._writing = threading.RLock()

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

    def publish(self, publication: Publication) -> None:
        """Record that a watermark became readable; told twice in a row, recorded once."""
        check_tenant(publication.tenant)
        with self._writing:
            told = self._tenants[publication.tenant].publications
            if told[-1:] != [publication]:
                told.append(publication)

    def define(self, tenant: str, kind: str, name: str, body: Mapping[str, object]) -> bool:
        """Record a definition when it differs from the newest; True if so."""
        check_tenant(tenant)
        text = canonical(body)
        with self._writing:
            held = self._tenants[tenant].definitions
            differs = held.get((kind, name)) != text
            held[kind, name] = text
            return differs

    def _refuse(self, tenant: str, refusals: Sequence[Refusal]) -> None:
        held, bodies = self._tenants[tenant], keep_refusals(self._vault, tenant, refusals)
        for one, kept in zip(refusals, bodies, strict=True):
            told = replace(one, raw=b"", reason="" if kept.keys else one.reason)
            held.refusals.append((held.key.of_refusal(one), told, kept))

    def _commit(self, draft: Draft) -> Commit:
        entry = enter(self._entries, draft, self._now, self._store_now)
        self._entries.append(entry)
        return entry.commit
