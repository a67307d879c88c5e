"""The reading half of the Iceberg ledger: rows of committed batches as values, in ledger order.

Commits are read first and the data tables after them, so every batch that a commit names is
there; rows of batches that no commit names are not seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from lakehouse.batches import Batches
from lakehouse.codec_beliefs import Recorded, changes_of
from lakehouse.codec_episodes import episodes_of, kept_of, refusals_kept
from lakehouse.codec_statements import extracted_of, recorded_of, statements_of
from lakehouse.columns import values
from lakehouse.commit_log import grouped
from lakehouse.merging import merged, settled
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import BeliefChanges, Extracted, Stage, Told
from lakehouse.model.statements import Statement
from lakehouse.pruning import (
    among,
    equal_to,
    is_equal,
    is_in,
    is_null,
    is_unnamed,
    reach,
)
from lakehouse.registers import Registers
from lakehouse.stamping import Entry, Now, select
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import (
    BELIEFS,
    EPISODES,
    PAYLOADS,
    QUARANTINE,
    STATEMENTS,
    SUPPORTERS,
)
from lakehouse.vault import Vault
from lakehouse.vault.bodies import erased, payloads_of, refusals_of, unknown

_NEWEST: Final = 20
"""Landings that episodes are looked for in first: what a new batch names has landed last."""


class LakeReader(Registers):
    """Every reading method of the port (their promises stand there)."""

    def __init__(self, store: Store, vault: Vault, now: Now) -> None:
        super().__init__(store, now)
        self._vault = vault
        self._batches = Batches(store)
        self._rows = self._batches.rows

    def episodes(
        self, tenant: str, *, after: int, through: int, batch: int = 20_000
    ) -> Iterator[list[Episode]]:
        """Landed episodes in landing order; memory holds one group of commits at a time."""
        landed = select(self._log.entries(), tenant, Stage.LAND, after=after, through=through)
        for group in grouped(landed, batch):
            headers = self._rows(EPISODES, tenant, group)
            bodies = self._rows(PAYLOADS, tenant, group, ("episode_id", "cipher", "body"))
            if not headers["episode_id"].equals(bodies["episode_id"]):
                raise IntegrityError(
                    f"headers and payloads of positions {group[0].commit.position} to "
                    f"{group[-1].commit.position} differ",
                    remedy="A payload file is missing: restore it, or the table's snapshot.",
                )
            for begin in range(0, headers.num_rows, batch):
                part = headers.slice(begin, batch)
                kept = kept_of(part, bodies.slice(begin, batch))
                names = values(part, "episode_id")
                yield episodes_of(tenant, part, payloads_of(self._vault, tenant, names, kept))

    def headers(
        self, tenant: str, episode_ids: Collection[str] | None = None
    ) -> dict[str, Episode]:
        """Episodes by id without payload; all if no ids are given."""
        landed = select(self._log.entries(), tenant, Stage.LAND)
        if episode_ids is None:
            rows = self._rows(EPISODES, tenant, landed)
            return {one.episode_id: one for one in episodes_of(tenant, rows, None)}
        found: dict[str, Episode] = {}
        for entries in (landed[-_NEWEST:], landed[:-_NEWEST]):
            if missing := set(episode_ids) - found.keys():
                rows = self._rows(EPISODES, tenant, entries, named={"episode_id": missing})
                found.update({one.episode_id: one for one in episodes_of(tenant, rows, None)})
        return found

    def payload(self, tenant: str, episode_id: str) -> bytes:
        """The raw record: its header names the batch, which names the file, and the place in it."""
        entries = select(self._log.entries(), tenant, Stage.LAND)
        where = equal_to("episode_id", episode_id)
        exactly = is_equal("episode_id", episode_id)
        keys = ("subject_keys",)
        header = self._rows(EPISODES, tenant, entries, keys, where=where, exactly=exactly)
        if not header.num_rows:
            raise unknown(episode_id)
        entry = entries[header["rank"][0].as_py()]
        columns = ("cipher", "body")
        exactly &= is_equal("ordinal", header["ordinal"][0].as_py())
        rows = self._rows(PAYLOADS, tenant, [entry], columns, where=where, exactly=exactly)
        if rows.num_rows != 1:
            raise IntegrityError(
                f"episode {episode_id!r} has {rows.num_rows} payloads",
                remedy="Restore the payload's file, or the table's snapshot.",
            )
        (body,) = payloads_of(self._vault, tenant, [episode_id], kept_of(header, rows))
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
        """Statements in ledger order; few subjects open only their buckets."""
        log = self._log.entries()
        entries = select(log, tenant, Stage.EXTRACT, after=after, through=through)
        if subjects is None and ids is None:
            return statements_of(tenant, self._rows(STATEMENTS, tenant, entries), entries)
        if not subjects and not ids:
            return []
        where, exactly = reach(set(subjects or ()), set(ids or ()))
        rows = self._rows(STATEMENTS, tenant, entries, where=where, exactly=exactly)
        return statements_of(tenant, rows, entries)

    def extracted(
        self, tenant: str, source: str, records: Collection[str] | None = None
    ) -> list[Extracted]:
        """What a state feed has said so far of these records, in ledger order."""
        if records is not None and not records:
            return []
        entries = select(self._log.entries(), tenant, Stage.EXTRACT)
        exactly = is_equal("source", source)
        if records is not None:
            exactly &= is_in("record", records)
        rows = self._rows(STATEMENTS, tenant, entries, exactly=exactly)
        return extracted_of(tenant, rows, entries)

    def belief_changes(self, tenant: str, *, after: int, through: int) -> BeliefChanges:
        """The changes of the believe commits in (after, through], merged in order."""
        entries = self._believed(tenant, after, through)
        beliefs, boxes = (self._rows(spec, tenant, entries) for spec in (BELIEFS, SUPPORTERS))
        return merged(changes_of(tenant, beliefs, boxes, self._recorded(tenant)))

    def beliefs(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Belief]:
        """Every rectangle with its closing and strictest classification applied."""
        entries = self._believed(tenant, 0, through)
        rows = self._about(BELIEFS, "belief_id", tenant, subjects, entries)
        return list(settled(changes_of(tenant, rows, None, self._recorded(tenant))).opened)

    def supports(
        self, tenant: str, *, subjects: Collection[str] | None = None, through: int | None = None
    ) -> list[Support]:
        """Every support box with its closing applied."""
        entries = self._believed(tenant, 0, through)
        rows = self._about(SUPPORTERS, "support_id", tenant, subjects, entries)
        changes = changes_of(tenant, None, rows, self._recorded(tenant))
        return list(settled(changes).supports_opened)

    def told(
        self, tenant: str, positions: Sequence[int], *, subjects: Collection[str] | None = None
    ) -> list[Told]:
        """Both through each of these positions: rows are read once, and settled for each."""
        entries, found = self._believed(tenant, 0, max(positions)), []
        beliefs = self._about(BELIEFS, "belief_id", tenant, subjects, entries)
        boxes = self._about(SUPPORTERS, "support_id", tenant, subjects, entries)
        for at in positions:
            early = pc.field("rank") < sum(entry.commit.position <= at for entry in entries)
            rows = (beliefs.filter(early), boxes.filter(early))
            then = settled(changes_of(tenant, *rows, self._recorded(tenant)))
            found.append(Told(then.opened, then.supports_opened))
        return found

    def quarantined(self, tenant: str) -> list[Refusal]:
        """Refused input, oldest first."""
        rows = self._rows(QUARANTINE, tenant, select(self._log.entries(), tenant))
        return refusals_of(self._vault, tenant, *refusals_kept(tenant, rows))

    def subject_keys(self, tenant: str, *, landings: int | None = None) -> set[str]:
        """The ids of all keys that the tenant's rows, or newest landings, are encrypted with."""
        stage = None if landings is None else Stage.LAND
        entries = select(self._log.entries(), tenant, stage)[-(landings or 0) :]
        found: set[str] = set()
        for spec in (EPISODES, QUARANTINE):
            column = self._rows(spec, tenant, entries, ("subject_keys",))["subject_keys"]
            found.update(pc.unique(pc.list_flatten(column)).to_pylist())
        return found

    def _recorded(self, tenant: str) -> Recorded:
        """When statements became known, asked only where a belief's row does not tell."""

        def of(ids: Collection[str]) -> dict[str, int]:
            entries = select(self._log.entries(), tenant, Stage.EXTRACT)
            columns, named = ("statement_id", "recorded_at"), is_in("statement_id", ids)
            rows = self._rows(STATEMENTS, tenant, entries, columns, exactly=named)
            return recorded_of(rows, entries)

        return of

    def _believed(self, tenant: str, after: int, through: int | None) -> list[Entry]:
        log = self._log.entries()
        return select(log, tenant, Stage.BELIEVE, after=after, through=through)

    def _about(
        self,
        spec: TableSpec,
        named: str,
        tenant: str,
        subjects: Collection[str] | None,
        entries: Sequence[Entry],
    ) -> pa.Table:
        """Rows of a change log; of these subjects only: what opened, then what became of it.

        Openings lie in their subject's bucket, all that comes after names no subject.
        """
        if subjects is None:
            return self._rows(spec, tenant, entries)
        if not subjects:
            return self._rows(spec, tenant, ())
        about, where = {"subject": subjects}, among("subject", subjects)
        opened = self._rows(spec, tenant, entries, where=where, named=about)
        ids = {named: values(opened, named)}
        unnamed = is_null("subject")
        later = self._rows(spec, tenant, entries, where=unnamed, named=ids, exactly=is_unnamed)
        return pa.concat_tables([opened, later])
