"""Commits, definitions and publications as rows, and back."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from lakehouse.columns import assemble, values
from lakehouse.model.ledger import Clock, Commit, Publication, Stage
from lakehouse.stamping import Entry
from lakehouse.tables import COMMITS, DEFINITIONS, PUBLICATIONS


def commit_row(entry: Entry) -> pa.Table:
    """The one row of `commits` that makes a batch known."""
    commit = entry.commit
    return assemble(
        COMMITS,
        1,
        {
            "position": [commit.position],
            "tenant": [commit.tenant],
            "stage": [commit.stage.value],
            "recorded_at": [commit.recorded_at],
            "clock": [commit.clock.value],
            "batch_id": [commit.batch_id],
            "through": [commit.through],
            "ledger_to": [commit.ledger_to],
            "first_seq": [entry.first_seq],
            "counts": [list(commit.counts.items())],
            "snapshots": [list(commit.snapshots.items())],
            "digest": [commit.digest],
        },
    )


def entries_of(rows: pa.Table) -> list[Entry]:
    """Entries of `commits` rows, in their order."""
    return [
        Entry(
            Commit(
                position=position,
                tenant=tenant,
                stage=Stage(stage),
                recorded_at=recorded_at,
                clock=Clock(clock),
                batch_id=batch_id,
                through=through,
                ledger_to=ledger_to,
                counts=dict(counts),
                snapshots=dict(snapshots),
                digest=digest,
            ),
            first_seq,
        )
        for (
            position,
            tenant,
            stage,
            recorded_at,
            clock,
            batch_id,
            through,
            ledger_to,
            first_seq,
            counts,
            snapshots,
            digest,
        ) in zip(*(values(rows, name) for name in COMMITS.arrow.names), strict=True)
    ]


def publication_row(ordinal: int, publication: Publication) -> pa.Table:
    """One row of `publications`; `ordinal` counts them over the lake."""
    return assemble(
        PUBLICATIONS,
        1,
        {
            "ordinal": [ordinal],
            "tenant": [publication.tenant],
            "position": [publication.position],
            "watermark": [publication.watermark],
            "published_at": [publication.published_at],
            "digest": [publication.digest],
            "epoch": [publication.epoch],
        },
    )


def publications_of(rows: pa.Table) -> list[tuple[int, Publication]]:
    """Publications, each with its ordinal."""
    names = ("ordinal", "tenant", "position", "watermark", "published_at", "digest", "epoch")
    return [
        (
            ordinal,
            Publication(
                tenant=tenant,
                position=position,
                watermark=watermark,
                published_at=published_at,
                digest=digest,
                epoch=epoch,
            ),
        )
        for ordinal, tenant, position, watermark, published_at, digest, epoch in zip(
            *(values(rows, name) for name in names), strict=True
        )
    ]


class Definition(NamedTuple):
    """One version of a definition; `body` is JSON text, `holds_from` µs UTC."""

    tenant: str
    kind: str
    name: str
    version: int
    holds_from: int
    body: str


def definition_row(definition: Definition) -> pa.Table:
    """One row of `definitions`."""
    return assemble(DEFINITIONS, 1, {k: [v] for k, v in definition._asdict().items()})


def definitions_of(rows: pa.Table) -> list[Definition]:
    """Definitions, every version."""
    return list(map(Definition, *(values(rows, name) for name in Definition._fields)))
