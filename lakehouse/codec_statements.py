"""Extracted statements as rows of `statements`, and back.

A row keeps its recorded instant only where its source attests it; under the system's clock the
column is null and the instant is its commit row's. `seq` is the commit's first plus `ordinal`.
An undoing operation has no subject: null there, so that it lies in the null bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import starmap

import pyarrow as pa

from lakehouse.columns import Same, assemble, shared, tags, values
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.statements import Operation, Statement
from lakehouse.stamping import Entry
from lakehouse.tables import STATEMENTS

_OPERATION = {operation.value: operation for operation in Operation}


def statement_rows(
    tenant: str, batch: str, extracted: Sequence[Extracted], clock: Clock
) -> pa.Table:
    """Rows in the given order (`ordinal`)."""
    said = [row.statement for row in extracted]
    attested = clock is Clock.ATTESTED
    return assemble(
        STATEMENTS,
        len(said),
        {
            "tenant": Same(tenant),
            "batch_id": Same(batch),
            "ordinal": range(len(said)),
            "statement_id": [s.statement_id for s in said],
            "op": [s.op.value for s in said],
            "recorded_at": [s.recorded_at for s in said] if attested else Same(None),
            "episode_id": [s.episode_id for s in said],
            "subject": [s.subject or None for s in said],
            "predicate": [s.predicate for s in said],
            "object": [s.object for s in said],
            "object_kind": [s.object_kind for s in said],
            "subject_type": [s.subject_type for s in said],
            "object_type": [s.object_type for s in said],
            "valid_from": [s.valid_from for s in said],
            "valid_to": [s.valid_to for s in said],
            "valid_from_basis": [s.valid_from_basis for s in said],
            "trust": [s.trust for s in said],
            "classification": [s.classification for s in said],
            "source": [s.source for s in said],
            "tags": [s.tags for s in said],
            "target": [s.target for s in said],
            "mark_trust": [s.mark_trust for s in said],
            "mark_classification": [s.mark_classification for s in said],
            "erased": [s.erased for s in said],
            "record": [row.record for row in extracted],
            "stated": [row.stated for row in extracted],
            "undoes": [row.undoes for row in extracted],
        },
    )


def statements_of(tenant: str, rows: pa.Table, entries: Sequence[Entry]) -> list[Statement]:
    """Statements of `committed` rows, in their order; `rank` points into `entries`."""
    ranks = values(rows, "rank")
    stamps = [entry.commit.recorded_at for entry in entries]
    firsts = [entry.first_seq for entry in entries]
    attested, ordinals = values(rows, "recorded_at"), values(rows, "ordinal")
    columns = zip(
        values(rows, "statement_id"),
        map(_OPERATION.__getitem__, shared(rows, "op")),
        [stamps[r] if own is None else own for r, own in zip(ranks, attested, strict=True)],
        [firsts[rank] + place for rank, place in zip(ranks, ordinals, strict=True)],
        values(rows, "episode_id"),
        shared(rows, "subject"),
        shared(rows, "predicate"),
        shared(rows, "object"),
        shared(rows, "object_kind"),
        shared(rows, "subject_type"),
        shared(rows, "object_type"),
        values(rows, "valid_from"),
        values(rows, "valid_to"),
        shared(rows, "valid_from_basis"),
        values(rows, "trust"),
        values(rows, "classification"),
        shared(rows, "source"),
        tags(rows),
        values(rows, "target"),
        values(rows, "mark_trust"),
        values(rows, "mark_classification"),
        values(rows, "erased"),
        strict=True,
    )
    return [
        Statement(
            tenant=tenant,
            statement_id=statement_id,
            op=op,
            recorded_at=recorded_at,
            seq=seq,
            episode_id=episode_id,
            subject=subject or "",
            predicate=predicate,
            object=object_,
            object_kind=object_kind,
            subject_type=subject_type,
            object_type=object_type,
            valid_from=valid_from,
            valid_to=valid_to,
            valid_from_basis=valid_from_basis,
            trust=trust,
            classification=classification,
            source=source,
            tags=tag,
            target=target,
            mark_trust=mark_trust,
            mark_classification=mark_classification,
            erased=erased,
        )
        for (
            statement_id,
            op,
            recorded_at,
            seq,
            episode_id,
            subject,
            predicate,
            object_,
            object_kind,
            subject_type,
            object_type,
            valid_from,
            valid_to,
            valid_from_basis,
            trust,
            classification,
            source,
            tag,
            target,
            mark_trust,
            mark_classification,
            erased,
        ) in columns
    ]


def recorded_of(rows: pa.Table, entries: Sequence[Entry]) -> dict[str, int]:
    """The recorded instants of `committed` rows' statements, by id."""
    stamps = [entry.commit.recorded_at for entry in entries]
    columns = (values(rows, name) for name in ("statement_id", "rank", "recorded_at"))
    return {
        name: stamps[rank] if own is None else own for name, rank, own in zip(*columns, strict=True)
    }


def extracted_of(tenant: str, rows: pa.Table, entries: Sequence[Entry]) -> list[Extracted]:
    """The same with what a state feed needs to find a statement again."""
    return list(
        starmap(
            Extracted,
            zip(
                statements_of(tenant, rows, entries),
                values(rows, "record"),
                values(rows, "stated"),
                values(rows, "undoes"),
                strict=True,
            ),
        )
    )
