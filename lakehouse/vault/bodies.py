"""Raw records as they are kept: encrypted for their data subjects, or as they came.

A payload is bound to its episode, a refused record (with the reason, which quotes values) to the
place it was refused at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from lakehouse.model.episodes import Episode, Protection, Refusal
from lakehouse.model.errors import (
    ConfigurationError,
    ErasedError,
    InputError,
    IntegrityError,
)
from lakehouse.vault.envelope import SubjectKey, Tampered, seal_body, unseal_body
from lakehouse.vault.vault import TENANT_ITSELF, Vault

PLAIN: Final = "none"
"""`cipher` of a body that is kept as it came."""
AES_GCM: Final = "AES-256-GCM"
_LENGTH: Final = 4


@dataclass(frozen=True, slots=True)
class Kept:
    """A body as the lake has it: its cipher, the ids of the keys that open it, its bytes."""

    cipher: str
    keys: tuple[str, ...]
    body: bytes


_Body = tuple[str, Protection, bytes]
"""Place, protection, and what is to be kept."""


def keep_payloads(vault: Vault, tenant: str, episodes: Iterable[Episode]) -> list[Kept]:
    """Payloads of new episodes, in their order."""
    return _keep(
        vault, tenant, [(_payload(e.episode_id), e.protection, e.payload) for e in episodes]
    )


def keep_refusals(vault: Vault, tenant: str, refusals: Iterable[Refusal]) -> list[Kept]:
    """Raw records of refusals, in their order; the reason is kept beside a plain one."""
    return _keep(vault, tenant, [(_refused(r), r.protection, _told(r)) for r in refusals])


def payloads_of(
    vault: Vault, tenant: str, episode_ids: Sequence[str], kept: Sequence[Kept]
) -> list[bytes | None]:
    """What `keep_payloads` was given; None for what was erased.

    IntegrityError where the vault is lost, or a body is not what was encrypted there.
    """
    return _read(vault, tenant, [_payload(one) for one in episode_ids], kept)


def refusals_of(
    vault: Vault, tenant: str, refusals: Sequence[Refusal], kept: Sequence[Kept]
) -> list[Refusal]:
    """The refusals whose rows these are, with reason and raw record; errors as `payloads_of`."""
    bodies = _read(vault, tenant, [_refused(one) for one in refusals], kept)
    return [_whole(*row) for row in zip(refusals, kept, bodies, strict=True)]


def unknown(episode_id: str) -> InputError:
    """What is told to whoever asks for the payload of an episode that never landed."""
    return InputError(
        f"unknown episode {episode_id!r}",
        remedy="Answers name their episodes, and so does `beliefgraph lake sql`: "
        '"SELECT episode_id FROM episodes".',
    )


def erased(episode_id: str) -> ErasedError:
    """What is told to whoever asks for that episode's payload."""
    return ErasedError(
        f"the payload of episode {episode_id!r} was erased",
        remedy="It is gone for good: a data subject that it concerned was forgotten.",
    )


def _keep(vault: Vault, tenant: str, bodies: Sequence[_Body]) -> list[Kept]:
    encrypted = [how for _, how, _ in bodies if how.encrypted]
    made = vault.keys_of(tenant, {s for h in encrypted if not h.keys for s in _subjects(h)})
    named = vault.keys_by_id(tenant, {one for how in encrypted for one in how.keys})

    @cache
    def living(how: Protection) -> tuple[tuple[SubjectKey, ...], tuple[str, ...]]:
        keys = [named[k] for k in how.keys] or [made[s] for s in _subjects(how)]
        found = tuple(key for key in keys if key is not None)
        # Its subject was erased meanwhile: nothing of it is kept.
        return (found, tuple(key.key_id for key in found)) if len(found) == len(keys) else ((), ())

    kept = []
    for place, how, plain in bodies:
        if not how.encrypted:
            kept.append(Kept(PLAIN, (), plain))
            continue
        keys, ids = living(how)
        if not keys:
            kept.append(Kept(AES_GCM, how.keys, b""))
            continue
        kept.append(Kept(AES_GCM, ids, seal_body(tenant, place, keys, plain)))
    return kept


def _read(
    vault: Vault, tenant: str, places: Sequence[str], kept: Sequence[Kept]
) -> list[bytes | None]:
    unknown = {one.cipher for one in kept} - {PLAIN, AES_GCM}
    if unknown:
        raise ConfigurationError(
            f"payloads are encrypted with {', '.join(sorted(unknown))}",
            remedy="Read them with a version that knows this cipher.",
        )
    for place, one in zip(places, kept, strict=True):
        if (one.cipher == PLAIN) == bool(one.keys):
            raise _altered(tenant, place)
    keys = vault.keys_by_id(tenant, {name for one in kept for name in one.keys})
    return [
        one.body if one.cipher == PLAIN else _opened(tenant, place, one, keys)
        for place, one in zip(places, kept, strict=True)
    ]


def _opened(
    tenant: str, place: str, kept: Kept, keys: dict[str, SubjectKey | None]
) -> bytes | None:
    held = [keys[name] for name in kept.keys]
    living = [key for key in held if key is not None]
    if len(living) < len(held):
        return None
    try:
        return unseal_body(tenant, place, living, kept.body)
    except Tampered as wrong:
        raise _altered(tenant, place) from wrong


def _altered(tenant: str, place: str) -> IntegrityError:
    return IntegrityError(
        f"the raw record of {place} of tenant {tenant!r} is not what was encrypted there",
        remedy="Its file was changed or its row moved: restore the file, or the snapshot.",
    )


def _subjects(how: Protection) -> tuple[str, ...]:
    return tuple(sorted(set(how.subjects))) or (TENANT_ITSELF,)


def _payload(episode_id: str) -> str:
    return f"episode {episode_id}"


def _refused(refusal: Refusal) -> str:
    return f"refusal {refusal.stage} {refusal.source} {refusal.location}"


def _told(refusal: Refusal) -> bytes:
    if not refusal.protection.encrypted:
        return refusal.raw
    reason = refusal.reason.encode()
    return len(reason).to_bytes(_LENGTH, "big") + reason + refusal.raw


def _whole(refusal: Refusal, kept: Kept, body: bytes | None) -> Refusal:
    how = Protection(encrypted=kept.cipher != PLAIN, keys=kept.keys)
    reason, raw = refusal.reason, body or b""
    if body is None:
        reason = "It was erased, with the reason for which it had been refused."
    elif how.encrypted:
        end = _LENGTH + int.from_bytes(body[:_LENGTH], "big")
        reason, raw = body[_LENGTH:end].decode(), body[end:]
    return Refusal(
        tenant=refusal.tenant,
        source=refusal.source,
        stage=refusal.stage,
        location=refusal.location,
        field=refusal.field,
        reason=reason,
        raw=raw,
        protection=how,
        erased=body is None,
    )
