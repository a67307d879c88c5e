"""An episode is a raw record as it arrived, with its metadata; it never changes."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as dataclass_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How a raw record is kept: as it came, or encrypted for the data subjects it concerns.

    `subjects` are their names in the tenant, given before it lands and kept nowhere. `keys` are
    the ids of their keys in the vault, known once it has landed. Encrypted for nobody in
    particular means: under the tenant's own key.
    """

    encrypted: bool = True
    subjects: tuple[str, ...] = dataclass_field(default=(), repr=False)
    keys: tuple[str, ...] = ()


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
    protection: Protection = dataclass_field(default=Protection(), compare=False)
    """How it is kept, which is no part of what it says."""
    erased: bool = False
    """True where its payload was erased: it is empty then, and so only then."""


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
    protection: Protection = dataclass_field(default=Protection(), compare=False)
    """How raw record and reason (which quotes values) are kept."""
    erased: bool = False
    """True where both were erased."""
