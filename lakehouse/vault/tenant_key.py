"""A tenant's key, opened: it wraps the keys of the tenant's subjects, and names them by a hash.

Every wrap is bound to the tenant and to what it holds, so that none stands in for another.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lakehouse.vault.envelope import SubjectKey, bound, seal, unseal


@dataclass(frozen=True, slots=True)
class TenantKey:
    """What opens a tenant's part of the vault; `kept` is what the vault has of it."""

    tenant: str
    version: int
    kept: bytes = field(repr=False)
    cipher: AESGCM = field(repr=False)
    naming: bytes = field(repr=False)

    def name_of(self, subject: str) -> str:
        """Under which name the vault holds the subject's key."""
        return hmac.digest(self.naming, subject.encode(), "sha256").hex()

    def unwrap(self, key_id: str, wrapped: bytes) -> SubjectKey:
        """A subject's key; Tampered where it is not what was wrapped there."""
        return SubjectKey(key_id, unseal(self.cipher, wrapped, _place(self.tenant, key_id)))


def wrap(cipher: AESGCM, tenant: str, key: SubjectKey) -> bytes:
    """A subject's key under the tenant's."""
    return seal(cipher, key.secret, _place(tenant, key.key_id))


def wrap_naming(cipher: AESGCM, tenant: str, naming: bytes) -> bytes:
    """The key that subjects are named by, under the tenant's."""
    return seal(cipher, naming, bound("naming", tenant))


def unwrap_naming(cipher: AESGCM, tenant: str, wrapped: bytes) -> bytes:
    """What `wrap_naming` was given; Tampered where it is not."""
    return unseal(cipher, wrapped, bound("naming", tenant))


def _place(tenant: str, key_id: str) -> bytes:
    return bound("subject", tenant, key_id)
