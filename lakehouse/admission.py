"""What a ledger lets in: new episodes, statements above all that is known, each batch once.

Pure checks, shared by the memory twin and the Iceberg ledger. Each returns what it admits or
raises; none of them writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lakehouse.keys import DigestKey
from lakehouse.ledger import Landing, Progress
from lakehouse.model.counted import counted
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConflictError, InputError
from lakehouse.model.instants import show
from lakehouse.model.ledger import BeliefChanges, Clock, Extracted, Stage
from lakehouse.stamping import Entry, latest, ledger_to, select

CHUNK_BYTES: Final = 64 * 1024 * 1024
"""A chunk ends at this many payload bytes, whatever its count of episodes."""


LONGEST_BATCH: Final = 12 * 3_600_000_000
"""µs from a batch's first data row to its commit; rows that wait longer may be swept."""


@dataclass(frozen=True, slots=True)
class Landed:
    """What the lake remembers of an episode id: keyed digest of its content, where it stood."""

    digest: str
    location: str


@dataclass(slots=True)
class Admitted:
    """A chunk sorted out: `digests` go with `fresh`."""

    fresh: list[Episode] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    duplicates: int = 0


def chunks(
    items: Iterable[Episode | Refusal], count: int, most_bytes: int = CHUNK_BYTES
) -> Iterator[list[Episode | Refusal]]:
    """Lists of at most `count` items and about `most_bytes` payload bytes, in order."""
    if count < 1:
        raise InputError(f"a chunk of {count} episodes", remedy="Give a chunk of at least 1.")
    held: list[Episode | Refusal] = []
    size = 0
    for item in items:
        held.append(item)
        size += len(item.payload) if isinstance(item, Episode) else len(item.raw)
        if len(held) >= count or size >= most_bytes:
            yield held
            held, size = [], 0
    if held:
        yield held


def land_in_chunks(
    items: Iterable[Episode | Refusal],
    count: int,
    progress: Progress | None,
    land: Callable[[Sequence[Episode | Refusal]], Landing],
) -> Landing:
    """Land chunk by chunk and sum up; a chunk that is not complete when it fails leaves nothing."""
    total = Landing(0, 0, 0, ())
    for chunk in chunks(items, count):
        part = land(chunk)
        total = Landing(
            total.landed + part.landed,
            total.duplicates + part.duplicates,
            total.refused + part.refused,
            total.commits + part.commits,
        )
        if progress:
            progress(
                f"landed {counted(total.landed, 'episode')} "
                f"({total.duplicates:,} known already, {total.refused:,} refused)"
            )
    return total


def admit_episodes(
    tenant: str,
    items: Iterable[Episode | Refusal],
    seen: Mapping[str, Landed],
    key: DigestKey,
) -> Admitted:
    """Sort a chunk: new episodes, duplicates of what was `seen`, refusals (old and new).

    An id that was seen with other content becomes a refusal that names both places.
    """
    admitted = Admitted()
    fresh, digests = admitted.fresh, admitted.digests
    places: dict[str, int] = {}
    for item in items:
        if item.tenant != tenant:
            check_owner(tenant, item.tenant, "an episode or refusal")
        if isinstance(item, Refusal):
            admitted.refusals.append(item)
            continue
        digest = key.of_episode(item)
        prior = seen.get(item.episode_id)
        if prior is None:
            place = places.setdefault(item.episode_id, len(fresh))
            if place == len(fresh):
                fresh.append(item)
                digests.append(digest)
                continue
            prior = Landed(digests[place], fresh[place].location)
        key.check(tenant, prior.digest)
        if prior.digest == digest:
            admitted.duplicates += 1
        else:
            admitted.refusals.append(_other_content(item, digest, prior))
    return admitted


def _other_content(episode: Episode, digest: str, prior: Landed) -> Refusal:
    here = episode.location or "an unnamed place"
    there = prior.location or "an unnamed place"
    return Refusal(
        tenant=episode.tenant,
        source=episode.source,
        stage="land",
        location=episode.location,
        field="episode_id",
        reason=f"episode id {episode.episode_id!r} was landed from {there} (digest "
        f"{prior.digest}) and comes with other content from {here} (digest {digest})",
        raw=episode.payload,
        protection=episode.protection,
    )


def check_owner(tenant: str, owner: str, what: str) -> None:
    """InputError for a value of another tenant."""
    if owner != tenant:
        raise InputError(
            f"{what} of tenant {owner!r} was given to the ledger of {tenant!r}",
            remedy="Tenants never meet: write each to its own ledger.",
        )


def check_in_time(began: int, now: int) -> None:
    """ConflictError where a batch's data rows are so old (both µs UTC) that they may be swept."""
    if now - began > LONGEST_BATCH:
        raise ConflictError(
            f"the batch's rows were written at {show(began)}, too long before its commit",
            remedy="Nothing became visible. Run again: the rows are written anew.",
        )


def check_extracted(
    tenant: str, extracted: Sequence[Extracted], refusals: Sequence[Refusal]
) -> None:
    """Every row belongs to the tenant and no statement id comes twice; InputError otherwise."""
    for refusal in refusals:
        check_owner(tenant, refusal.tenant, "a refusal")
    ids = set()
    for row in extracted:
        check_owner(tenant, row.statement.tenant, "a statement")
        ids.add(row.statement.statement_id)
    if len(ids) < len(extracted):
        raise InputError(
            f"{len(extracted) - len(ids)} statement ids come twice in one batch",
            remedy="Give each statement an id of its own.",
        )


def check_attested(extracted: Sequence[Extracted], now: int) -> None:
    """Attested instants never decrease and do not lie in the future (`now`, µs UTC)."""
    last: int | None = None
    for row in extracted:
        instant = row.statement.recorded_at
        if last is not None and instant < last:
            raise ConflictError(
                f"statement {row.statement.statement_id} is attested at {show(instant)}, "
                f"after one of {show(last)}",
                remedy="Order an import by its attested instants.",
            )
        last = instant
    if last is not None and last > now:
        raise ConflictError(
            f"attested instant {show(last)} lies in the future (it is {show(now)})",
            remedy="Correct the source's instants, or the clock.",
        )


def check_above(
    entries: Sequence[Entry], tenant: str, first: int | None, watermark: int | None
) -> None:
    """The first attested instant lies above all that the ledger holds and has published.

    Once the system has stamped statements, none are attested any more.
    """
    if first is None:
        return
    if any(entry.commit.clock is Clock.SYSTEM for entry in select(entries, tenant, Stage.EXTRACT)):
        raise ConflictError(
            f"tenant {tenant!r} has gone live: the system stamps what it hears",
            remedy="Record late archives now (clock system); what they attest is kept beside it.",
        )
    held = ledger_to(entries, tenant)
    if first <= held:
        raise ConflictError(
            f"attested instant {show(first)} is not above the ledger's last, {show(held)}",
            remedy="History comes in before what follows it; record late archives now (clock "
            "system).",
        )
    if watermark is not None and first <= watermark:
        raise ConflictError(
            f"attested instant {show(first)} is not above the published watermark "
            f"{show(watermark)}",
            remedy="Nothing may appear below what was published; record late archives now "
            "(clock system).",
        )


def check_through(entries: Sequence[Entry], tenant: str, stage: Stage, through: int) -> None:
    """ConflictError where that upstream position, or a later one, has been consumed already."""
    last = latest(entries, tenant, stage)
    if last and last.commit.through and through <= last.commit.through:
        raise ConflictError(
            f"{stage} of {tenant!r} has gone through position {last.commit.through}, this batch "
            f"through {through}",
            remedy="Another run was faster: read the commits again and go on from there.",
        )


def check_new(kind: str, known: Collection[str]) -> None:
    """ConflictError where ids of this batch have been recorded before."""
    if known:
        raise ConflictError(
            f"{len(known)} {kind} ids are in the ledger already, first {min(known)}",
            remedy="Another run recorded them: read the commits again and go on from there.",
        )


def check_changes(tenant: str, changes: BeliefChanges) -> None:
    """Every belief and support box belongs to the tenant and opens once in the batch."""
    for belief in changes.opened:
        check_owner(tenant, belief.tenant, "a belief")
    for box in changes.supports_opened:
        check_owner(tenant, box.tenant, "a support box")
    if len({belief.belief_id for belief in changes.opened}) < len(changes.opened):
        raise InputError(
            "a belief is opened twice in one batch", remedy="Give each rectangle its own id."
        )


def counted_changes(changes: BeliefChanges) -> dict[str, int]:
    """How many of each kind, as a commit counts them."""
    return {
        "opened": len(changes.opened),
        "closed": len(changes.closed),
        "tightened": len(changes.tightened),
        "supports_opened": len(changes.supports_opened),
        "supports_closed": len(changes.supports_closed),
        "removed": len(changes.removed) + len(changes.supports_removed),
    }


def canonical(body: Mapping[str, object]) -> str:
    """A definition as JSON text, keys sorted; InputError for what JSON cannot hold."""
    try:
        return json.dumps(body, sort_keys=True, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as wrong:
        raise InputError(
            f"a definition cannot be kept as JSON: {wrong}",
            remedy="Use texts, numbers, booleans, lists and mappings only.",
        ) from wrong
