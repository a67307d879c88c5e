"""An episode is a raw record as it arrived, with its metadata; it never changes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """Header and payload of one raw record.

    `episode_id` is unique in its tenant. `source_key` names the record in its source (a state
    feed's record). `attested_at` is the recorded instant that an import's source attests, None
    for what only the system stamps. `landed_at` is the true arrival, given at commit (0 before).
    `payload` is the raw record as UTF-8 JSON text, byte for byte as it arrived. All
    instants are microseconds UTC.
    """

    tenant: str
    episode_id: str
    source: str
    source_key: str
    payload: bytes
    media_type: str = "application/json"
    attested_at: int | None = None
    occurred_at: int | None = None
    landed_at: int = 0
    seq: int = 0
    trust: int = 0
    classification: int = 3
    who: str | None = None
    tags: tuple[str, ...] = ()
    location: str = ""
    """Where it stood in its file: `name:line`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Input that was refused, with the reason; kept in `quarantine`, never lost."""

    tenant: str
    source: str
    stage: str
    """`land` or `extract`."""
    location: str
    """File and line, or the episode id."""
    field: str
    reason: str
    raw: bytes
