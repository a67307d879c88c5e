"""Episodes, their payloads and refusals as rows, and back."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from lakehouse.columns import Same, assemble, shared, tags, values
from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.tables import EPISODES, PAYLOADS, QUARANTINE
from lakehouse.vault.bodies import PLAIN, Kept


def header_rows(
    tenant: str,
    batch: str,
    episodes: Sequence[Episode],
    kept: Sequence[Kept],
    digests: Sequence[str],
    landed_at: int,
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
            "subject_keys": [one.keys for one in kept],
        },
    )


def payload_rows(
    tenant: str, batch: str, episodes: Sequence[Episode], kept: Sequence[Kept], landed_at: int
) -> pa.Table:
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
            "cipher": [one.cipher for one in kept],
            "body": [one.body for one in kept],
        },
    )


def kept_of(headers: pa.Table, payloads: pa.Table) -> list[Kept]:
    """Payloads as they are kept; rows of both tables in the same order."""
    columns = (shared(payloads, "cipher"), _keys(headers), values(payloads, "body"))
    return [Kept(*row) for row in zip(*columns, strict=True)]


def episodes_of(
    tenant: str, headers: pa.Table, bodies: Sequence[bytes | None] | None
) -> list[Episode]:
    """Episodes of header rows, with these bodies (None: erased) or with empty ones."""
    held: dict[tuple[str, ...], Protection] = {}
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
        _keys(headers),
        bodies if bodies is not None else [b""] * headers.num_rows,
        strict=True,
    )
    return [
        Episode(
            tenant=tenant,
            episode_id=episode_id,
            source=source,
            source_key=source_key,
            payload=body or b"",
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
            protection=held.setdefault(keys, Protection(encrypted=bool(keys), keys=keys)),
            erased=body is None,
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
            keys,
            body,
        ) in columns
    ]


def refusal_rows(
    tenant: str,
    batch: str,
    refusals: Sequence[Refusal],
    kept: Sequence[Kept],
    digests: Sequence[str],
) -> pa.Table:
    """Rows of `quarantine`; an encrypted record has its reason inside, for it quotes values."""
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
            "reason": [
                r.reason if one.cipher == PLAIN else ""
                for r, one in zip(refusals, kept, strict=True)
            ],
            "cipher": [one.cipher for one in kept],
            "raw": [one.body for one in kept],
            "digest": digests,
            "subject_keys": [one.keys for one in kept],
        },
    )


def refusals_kept(tenant: str, rows: pa.Table) -> tuple[list[Refusal], list[Kept]]:
    """Refusals of `quarantine` rows without their raw records, and these as they are kept."""
    names = ("source", "stage", "location", "field", "reason")
    told = zip(*(values(rows, name) for name in names), strict=True)
    refusals = [
        Refusal(
            tenant=tenant,
            source=source,
            stage=stage,
            location=location,
            field=field,
            reason=reason,
            raw=b"",
        )
        for source, stage, location, field, reason in told
    ]
    columns = (shared(rows, "cipher"), _keys(rows), values(rows, "raw"))
    return refusals, [Kept(*row) for row in zip(*columns, strict=True)]


def _keys(rows: pa.Table) -> list[tuple[str, ...]]:
    """Key ids; none in rows of before there was a vault."""
    return tags(rows, "subject_keys")
