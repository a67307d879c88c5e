"""The ledger over Apache Iceberg: data rows first, then the commit row that makes them known.

A batch whose commit row never came is invisible for good. Writers race at the commit row only:
the loser is checked and stamped anew, its data rows stay, unless they have become wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa
from pyiceberg.table import Table

from lakehouse.admission import (
    Admitted,
    admit_episodes,
    canonical,
    check_in_time,
    land_in_chunks,
)
from lakehouse.catalog import configured
from lakehouse.codec_beliefs import belief_rows, support_rows
from lakehouse.codec_commits import Definition, definition_row, publication_row
from lakehouse.codec_episodes import header_rows, payload_rows, refusal_rows
from lakehouse.codec_statements import statement_rows
from lakehouse.columns import digest
from lakehouse.commit_log import Admit
from lakehouse.drafts import check_place, draft_beliefs, draft_landing, draft_statements
from lakehouse.keys import DigestKey, TenantKeys, check_tenant
from lakehouse.known import Known
from lakehouse.lake_reader import LakeReader
from lakehouse.ledger import Address, Landing, Progress
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConflictError
from lakehouse.model.instants import ALWAYS
from lakehouse.model.ledger import BeliefChanges, Clock, Commit, Extracted, Publication, Stage
from lakehouse.stamping import Draft, Entry, Now, latest, select, system_clock
from lakehouse.store import ATTEMPTS, Store, open_store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import (
    BELIEFS,
    DEFINITIONS,
    EPISODES,
    PAYLOADS,
    PUBLICATIONS,
    QUARANTINE,
    STATEMENTS,
    SUPPORTERS,
)
from lakehouse.vault import Vault, open_vault
from lakehouse.vault.bodies import keep_payloads, keep_refusals

_NEWEST: Final = 20
"""Landings whose keys tell whether the vault is the one that they were encrypted by."""


def open_ledger(
    home: Path, environ: Mapping[str, str], *, now: Now = system_clock
) -> IcebergLedger:
    """The lake that PyIceberg's configuration in `environ` names, else the one under `home`.

    Keys stay under `home` in either case, those of data subjects in the vault that `environ`
    names, if it does. ConfigurationError or UnavailableError where the
    catalog cannot be opened.
    """
    vault = open_vault(home, environ)
    address = Address(home, dict(environ))
    return IcebergLedger(open_store(home, environ), TenantKeys(home), vault, now, address)


def find_ledger(home: Path, environ: Mapping[str, str]) -> IcebergLedger | None:
    """What `open_ledger` opens; None where there is no lake, which that would make."""
    there = (home / "lake").exists() or configured(environ) is not None
    return open_ledger(home, environ) if there else None


class _Overtaken(Exception):
    """Another writer landed what this chunk holds: sort it out again."""


class IcebergLedger(LakeReader):
    """The system of record. `now` is the clock that commits are stamped by (µs UTC)."""

    def __init__(
        self,
        store: Store,
        keys: TenantKeys,
        vault: Vault,
        now: Now = system_clock,
        address: Address | None = None,
    ) -> None:
        super().__init__(store, vault, now)
        self.address = address
        self._keys = keys
        self._now = now
        self._known = Known(self._batches)
        self._same_vault: set[str] = set()

    def land(
        self,
        tenant: str,
        episodes: Iterable[Episode | Refusal],
        *,
        chunk: int = 20_000,
        progress: Progress | None = None,
    ) -> Landing:
        """Append episodes in bounded memory, one commit a chunk; nothing new, no commit."""
        check_tenant(tenant)

        def land_chunk(items: Sequence[Episode | Refusal]) -> Landing:
            for _ in range(ATTEMPTS):
                try:
                    return self._land_once(tenant, items)
                except _Overtaken:
                    continue
            raise ConflictError(
                f"other writers landed the same episodes first {ATTEMPTS} times",
                remedy="Let one writer land a source at a time.",
            )

        return land_in_chunks(episodes, chunk, progress, land_chunk)

    def _land_once(self, tenant: str, items: Sequence[Episode | Refusal]) -> Landing:
        entries = self._log.entries()
        key = self._key(tenant, entries)
        ids = {item.episode_id for item in items if isinstance(item, Episode)}
        seen = self._known.landed(tenant, select(entries, tenant, Stage.LAND), ids)
        admitted = admit_episodes(tenant, items, seen, key)
        refusals = {key.of_refusal(refusal): refusal for refusal in admitted.refusals}
        before = select(entries, tenant)
        for kept in self._known.of(QUARANTINE, tenant, before, column="digest", names=refusals):
            del refusals[kept]
        counted = Landing(len(admitted.fresh), admitted.duplicates, len(admitted.refusals), ())
        if not admitted.fresh and not refusals:
            return counted
        fresh = {episode.episode_id for episode in admitted.fresh}

        def admit(now: Sequence[Entry]) -> None:
            later = select(now, tenant, Stage.LAND, after=len(entries))
            if later and (refusals or self._known.landed(tenant, later, fresh)):
                raise _Overtaken

        commit = self._commit_landing(tenant, admitted, refusals, admit)
        return replace(counted, commits=(commit,))

    def _commit_landing(
        self, tenant: str, admitted: Admitted, refusals: Mapping[str, Refusal], admit: Admit
    ) -> Commit:
        episodes, landed_at = admitted.fresh, self._now()
        draft = draft_landing(tenant, episodes, len(refusals))
        batch = draft.batch_id
        self._check_vault(tenant, episodes)
        kept = keep_payloads(self._vault, tenant, episodes)
        rows = {
            PAYLOADS: payload_rows(tenant, batch, episodes, kept, landed_at),
            EPISODES: header_rows(tenant, batch, episodes, kept, admitted.digests, landed_at),
            QUARANTINE: self._refusal_rows(draft, list(refusals.values()), list(refusals)),
        }
        return self._commit(draft, rows, admit)

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
        new = self._known.new_only(
            STATEMENTS, tenant, [e.statement.statement_id for e in extracted]
        )

        def admit(entries: Sequence[Entry]) -> None:
            check_place(draft, entries, self._watermark(tenant))
            new(select(entries, tenant, Stage.EXTRACT))

        entries = self._log.entries()
        admit(entries)
        key = self._key(tenant, entries)
        receipts = [key.of_refusal(refusal) for refusal in refusals]
        rows = {
            STATEMENTS: statement_rows(tenant, draft.batch_id, extracted, clock),
            QUARANTINE: self._refusal_rows(draft, refusals, receipts),
        }
        return self._commit(replace(draft, above=self._watermark(tenant)), rows, admit)

    def _refusal_rows(
        self, draft: Draft, refusals: Sequence[Refusal], receipts: Sequence[str]
    ) -> pa.Table:
        tenant = draft.tenant
        self._check_vault(tenant, refusals)
        kept = keep_refusals(self._vault, tenant, refusals)
        return refusal_rows(tenant, draft.batch_id, refusals, kept, receipts)

    def _check_vault(self, tenant: str, items: Iterable[Episode | Refusal]) -> None:
        """IntegrityError where the vault that encrypted so far was lost, or is another one.

        Another's keys are looked for once, for the newest landings: they tell a foreign vault.
        """
        if not any(one.protection.encrypted for one in items):
            return
        if not self._vault.holds(tenant):
            self._vault.keys_by_id(tenant, self.subject_keys(tenant))
        elif tenant not in self._same_vault:
            self._vault.keys_by_id(tenant, self.subject_keys(tenant, landings=_NEWEST))
            self._same_vault.add(tenant)

    def key(self, tenant: str) -> DigestKey:
        """The tenant's key; IntegrityError where the lake's digests were made with another."""
        return self._key(tenant, self._log.entries())

    def _key(self, tenant: str, entries: Sequence[Entry]) -> DigestKey:
        last = latest(entries, tenant)
        return self._keys.of(tenant, last.commit.digest if last else "")

    def append_beliefs(self, tenant: str, changes: BeliefChanges, *, through: int) -> Commit:
        """Record what follows from the extract commits up to `through`, once."""
        draft = draft_beliefs(tenant, changes, through=through)
        new = self._known.new_only(BELIEFS, tenant, [belief.belief_id for belief in changes.opened])

        def admit(entries: Sequence[Entry]) -> None:
            check_place(draft, entries, None)
            new(select(entries, tenant, Stage.BELIEVE))

        entries = self._log.entries()
        admit(entries)
        self._key(tenant, entries)
        rows = {
            BELIEFS: belief_rows(tenant, draft.batch_id, changes),
            SUPPORTERS: support_rows(tenant, draft.batch_id, changes),
        }
        return self._commit(draft, rows, admit)

    def publish(self, publication: Publication) -> None:
        """Record that a watermark became readable; told twice in a row, recorded once."""
        check_tenant(publication.tenant)

        def rows_after(table: Table) -> pa.Table | None:
            found = self._publications.of(table)
            mine = [row for row in sorted(found) if row[1].tenant == publication.tenant]
            if mine and mine[-1][1] == publication:
                return None
            return publication_row(len(found) + 1, publication)

        self._store.decide(PUBLICATIONS, rows_after)

    def define(self, tenant: str, kind: str, name: str, body: Mapping[str, object]) -> bool:
        """Record a definition as a new version when it differs from the newest; True if so."""
        check_tenant(tenant)
        text = canonical(body)

        def rows_after(table: Table) -> pa.Table | None:
            versions = [
                row
                for row in self._definitions.of(table)
                if (row.tenant, row.kind, row.name) == (tenant, kind, name)
            ]
            last = max(versions, key=lambda row: row.version, default=None)
            if last and last.body == text:
                return None
            version, after = (last.version, last.holds_from) if last else (0, ALWAYS)
            holds_from = max(self._now(), after + 1)
            return definition_row(Definition(tenant, kind, name, version + 1, holds_from, text))

        return self._store.decide(DEFINITIONS, rows_after)

    def _commit(self, draft: Draft, rows: Mapping[TableSpec, pa.Table], admit: Admit) -> Commit:
        """Write the batch's data rows, then its commit row."""
        key, began = self._keys.of(draft.tenant), system_clock()

        def in_time(entries: Sequence[Entry]) -> None:
            check_in_time(began, system_clock())
            self._key(draft.tenant, entries)
            admit(entries)

        with ThreadPoolExecutor(1) as beside:  # Both mostly run outside the interpreter.
            told = beside.submit(digest, key.secret, list(rows.values()))
            snapshots = {
                spec.name: self._store.append(spec, table)
                for spec, table in rows.items()
                if table.num_rows
            }
        said = f"{key.key_id}:{told.result()}"
        return self._log.append(replace(draft, snapshots=snapshots, digest=said), in_time)
