"""Episodes, their payloads and refusals as rows, and back."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakehouse.columns import Same, assemble, shared, tags, values
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConfigurationError
from lakehouse.tables import EPISODES, PAYLOADS, QUARANTINE

UNENCRYPTED = "none"
"""`cipher` of a body that is kept as it came."""


def header_rows(
    tenant: str, batch: str, episodes: Sequence[Episode], digests: Sequence[str], landed_at: int
) -> pa.Table:
    """Rows of `episodes`; `landed_at` in µs UTC, one for the batch."""
    return assemble(
        EPISODES,
        len(episodes),
        {
            "tenant": Same(tenant),
            "batch_id": Same(batch),
            "ordinal": range(len(episodes)),
            "episode_id": [e.episode_id for e in episodes],
            "source": [e.source for e in episodes],
            "source_key": [e.source_key for e in episodes],
            "attested_at": [e.attested_at for e in episodes],
            "occurred_at": [e.occurred_at for e in episodes],
            "landed_at": Same(landed_at),
            "seq": [e.seq for e in episodes],
            "media_type": [e.media_type for e in episodes],
            "trust": [e.trust for e in episodes],
            "classification": [e.classification for e in episodes],
            "who": [e.who for e in episodes],
            "tags": [e.tags for e in episodes],
            "location": [e.location for e in episodes],
            "digest": digests,
        },
    )


def payload_rows(tenant: str, batch: str, episodes: Sequence[Episode], landed_at: int) -> pa.Table:
    """Rows of `payloads`, in the order of the headers."""
    return assemble(
        PAYLOADS,
        len(episodes),
        {
            "tenant": Same(tenant),
            "batch_id": Same(batch),
            "ordinal": range(len(episodes)),
            "episode_id": [e.episode_id for e in episodes],
            "landed_at": Same(landed_at),
            "cipher": Same(UNENCRYPTED),
            "body": [e.payload for e in episodes],
        },
    )


def episodes_of(tenant: str, headers: pa.Table, bodies: Sequence[bytes] | None) -> list[Episode]:
    """Episodes of header rows, with these bodies or with empty ones."""
    columns = zip(
        values(headers, "episode_id"),
        shared(headers, "source"),
        values(headers, "source_key"),
        values(headers, "attested_at"),
        values(headers, "occurred_at"),
        values(headers, "landed_at"),
        values(headers, "seq"),
        shared(headers, "media_type"),
        values(headers, "trust"),
        values(headers, "classification"),
        shared(headers, "who"),
        tags(headers),
        values(headers, "location"),
        bodies if bodies is not None else [b""] * headers.num_rows,
        strict=True,
    )
    return [
        Episode(
            tenant=tenant,
            episode_id=episode_id,
            source=source,
            source_key=source_key,
            payload=body,
            media_type=media_type,
            attested_at=attested_at,
            occurred_at=occurred_at,
            landed_at=landed_at,
            seq=seq,
            trust=trust,
            classification=classification,
            who=who,
            tags=tag,
            location=location,
        )
        for (
            episode_id,
            source,
            source_key,
            attested_at,
            occurred_at,
            landed_at,
            seq,
            media_type,
            trust,
            classification,
            who,
            tag,
            location,
            body,
        ) in columns
    ]


def refusal_rows(
    tenant: str, batch: str, refusals: Sequence[Refusal], digests: Sequence[str]
) -> pa.Table:
    """Rows of `quarantine`."""
    return assemble(
        QUARANTINE,
        len(refusals),
        {
            "tenant": Same(tenant),
            "batch_id": Same(batch),
            "ordinal": range(len(refusals)),
            "source": [r.source for r in refusals],
            "stage": [r.stage for r in refusals],
            "location": [r.location for r in refusals],
            "field": [r.field for r in refusals],
            "reason": [r.reason for r in refusals],
            "cipher": Same(UNENCRYPTED),
            "raw": [r.raw for r in refusals],
            "digest": digests,
        },
    )


def refusals_of(tenant: str, rows: pa.Table) -> list[Refusal]:
    """Refusals of `quarantine` rows, in their order."""
    names = ("source", "stage", "location", "field", "reason", "raw")
    return [
        Refusal(
            tenant=tenant,
            source=source,
            stage=stage,
            location=location,
            field=field,
            reason=reason,
            raw=raw,
        )
        for source, stage, location, field, reason, raw in zip(
            *(values(rows, name) for name in names), strict=True
        )
    ]


def check_cipher(rows: pa.Table) -> None:
    """ConfigurationError for a body that this version cannot read."""
    ciphers = set(rows["cipher"].unique().to_pylist()) - {UNENCRYPTED}
    if ciphers:
        raise ConfigurationError(
            f"payloads are encrypted with {', '.join(sorted(ciphers))}",
            remedy="Read them with a version that knows this cipher.",
        )
