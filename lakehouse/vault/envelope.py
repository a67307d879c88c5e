"""AES-256-GCM under one key, and bodies under the keys of several data subjects at once.

A body has a content key of its own, wrapped by the key of each subject in turn, one around the
other: only all of them together open it, so the first that is destroyed ends it. Every wrap and
the body are bound to tenant, place (episode or refusal) and subject key, as associated data.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY_BYTES: Final = 32
_NONCE: Final = 12
_TAG: Final = 16
_WRAP: Final = _NONCE + _TAG
"""What one wrap adds to what it wraps."""


class Tampered(Exception):
    """What was encrypted, or what it is bound to, is not what it was."""


@dataclass(frozen=True, slots=True)
class SubjectKey:
    """A data subject's key, under the id that rows name it by."""

    key_id: str
    secret: bytes = field(repr=False)
    cipher: AESGCM = field(init=False, repr=False, compare=False)
    named: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cipher", AESGCM(self.secret))
        object.__setattr__(self, "named", bound("key", self.key_id))


def bound(*parts: str) -> bytes:
    """Associated data of these parts, each with its length before it."""
    return "".join([f"{len(part)}:{part}" for part in parts]).encode("utf-8", "surrogatepass")


def seal(cipher: AESGCM, plain: bytes, to: bytes) -> bytes:
    """Nonce, ciphertext and tag of `plain`, bound `to` associated data."""
    return _sealed(cipher, os.urandom(_NONCE), plain, to)


def _sealed(cipher: AESGCM, nonce: bytes, plain: bytes, to: bytes) -> bytes:
    return nonce + cipher.encrypt(nonce, plain, to)


def unseal(cipher: AESGCM, sealed: bytes, to: bytes) -> bytes:
    """What `seal` was given; Tampered where anything differs."""
    try:
        return cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], to)
    except (InvalidTag, ValueError) as wrong:
        raise Tampered from wrong


def seal_body(tenant: str, place: str, keys: Sequence[SubjectKey], plain: bytes) -> bytes:
    """The wrapped content key, then the body under it; all of `keys` are needed to read it."""
    where = bound(tenant, place)
    chance = os.urandom(KEY_BYTES + _NONCE * (len(keys) + 1))  # All in one call: it is dear.
    content = wrapped = chance[:KEY_BYTES]
    at = KEY_BYTES
    for key in keys:
        wrapped = _sealed(key.cipher, chance[at : at + _NONCE], wrapped, key.named + where)
        at += _NONCE
    return wrapped + _sealed(AESGCM(content), chance[at:], plain, _of_body(keys, where))


def unseal_body(tenant: str, place: str, keys: Sequence[SubjectKey], body: bytes) -> bytes:
    """What `seal_body` was given; Tampered where body, tenant, place or a key is another."""
    where = bound(tenant, place)
    end = KEY_BYTES + _WRAP * len(keys)
    wrapped = body[:end]
    for key in reversed(keys):
        wrapped = unseal(key.cipher, wrapped, key.named + where)
    return unseal(AESGCM(wrapped), body[end:], _of_body(keys, where))


def _of_body(keys: Sequence[SubjectKey], where: bytes) -> bytes:
    return b"".join([b"4:body", *[key.named for key in keys], where])
