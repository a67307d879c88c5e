"""One random key a tenant, so that a digest of its content tells nothing to anyone else.

Digests are BLAKE2b-128 with that key, written `key id:hex`; the key id (a hash of the key) tells
a digest made with a lost or foreign key from one of other content.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass, field
from json.encoder import encode_basestring_ascii as _text
from pathlib import Path
from typing import Final

from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConfigurationError, InputError, IntegrityError

_TENANT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_KEY_BYTES: Final = 32


def check_tenant(tenant: str) -> None:
    """InputError unless the name can stand in file paths and partitions."""
    if not isinstance(tenant, str) or not _TENANT.fullmatch(tenant):
        raise InputError(
            f"{tenant!r} cannot name a tenant",
            remedy="Use 1 to 64 letters, digits, '.', '_' and '-', beginning with a letter "
            "or digit.",
        )


@dataclass(frozen=True, slots=True)
class DigestKey:
    """A tenant's key; `key_id` is safe to show."""

    secret: bytes = field(repr=False)
    key_id: str = field(init=False)
    _begun: hashlib.blake2b = field(init=False, repr=False, compare=False)
    """A digest of nothing yet: a copy of it costs half of a new one."""

    def __post_init__(self) -> None:
        begun = hashlib.blake2b(digest_size=16, key=self.secret)
        object.__setattr__(self, "_begun", begun)
        object.__setattr__(self, "key_id", hashlib.blake2b(self.secret, digest_size=4).hexdigest())

    def of(self, *parts: bytes) -> str:
        """Digest of these parts, each with its length before it."""
        digest = self._begun.copy()
        for part in parts:
            digest.update(len(part).to_bytes(8) + part)
        return f"{self.key_id}:{digest.hexdigest()}"

    def of_episode(self, episode: Episode) -> str:
        """Digest of what an episode says: payload and metadata, not where or when it landed."""
        body, about = episode.payload, _metadata(episode).encode()
        digest = self._begun.copy()
        digest.update(len(body).to_bytes(8) + body + len(about).to_bytes(8) + about)
        return f"{self.key_id}:{digest.hexdigest()}"

    def of_refusal(self, refusal: Refusal) -> str:
        """Digest of refused input with its place and reason."""
        place = (refusal.source, refusal.stage, refusal.location, refusal.field, refusal.reason)
        return self.of(refusal.raw, json.dumps(place).encode())

    def check(self, tenant: str, digest: str) -> None:
        """IntegrityError for a digest that another key has made."""
        if not digest.startswith(f"{self.key_id}:"):
            raise IntegrityError(
                f"tenant {tenant!r}: the lake's digests were made with key "
                f"{digest.split(':', 1)[0]}, this home holds key {self.key_id}",
                remedy="Restore the tenant's key file, or copy it from the home that has written "
                "so far: without it duplicates cannot be told.",
            )


def _metadata(episode: Episode) -> str:
    """The text that `json.dumps` gives for a list of these fields, three times as fast.

    Recorded digests cover this very text.
    """
    attested, occurred, who = episode.attested_at, episode.occurred_at, episode.who
    return (
        f"[{_text(episode.source)}, {_text(episode.source_key)}, {_text(episode.media_type)}, "
        f"{'null' if attested is None else _plain(attested)}, "
        f"{'null' if occurred is None else _plain(occurred)}, "
        f"{_plain(episode.trust)}, {_plain(episode.classification)}, "
        f"{'null' if who is None else _text(who)}, "
        f"{json.dumps(episode.tags) if episode.tags else '[]'}]"
    )


def _plain(value: int) -> str:
    return repr(value) if type(value) is int else json.dumps(value)


class TenantKeys:
    """The key files of a home: `keys/<tenant>.key`, readable by their owner only."""

    def __init__(self, home: Path) -> None:
        self._folder = home / "keys"
        self._held: dict[str, DigestKey] = {}

    def of(self, tenant: str, recorded: str = "") -> DigestKey:
        """The tenant's key, made on first use; ConfigurationError for an unusable file.

        `recorded` is a digest that the lake holds: IntegrityError where it was made with another
        key, or with one that this home has lost; none is made then.
        """
        check_tenant(tenant)
        file = self._folder / f"{tenant}.key"
        if tenant not in self._held:
            self._held[tenant] = DigestKey(self._load(file, recorded))
        if recorded:
            self._held[tenant].check(tenant, recorded)
        return self._held[tenant]

    def _load(self, file: Path, recorded: str) -> bytes:
        if not file.exists() and recorded:
            raise IntegrityError(
                f"the lake's digests were made with key {recorded.split(':', 1)[0]}, and {file} "
                "is not there",
                remedy="Copy the file from the home that has written so far, or from a backup: "
                "all homes that write to one lake share the keys of its tenants.",
            )
        if not file.exists():
            _create(file)
        secret = file.read_bytes()
        if len(secret) != _KEY_BYTES:
            raise ConfigurationError(
                f"{file} holds {len(secret)} bytes, a key has {_KEY_BYTES}",
                remedy="Restore the file from a backup.",
            )
        return secret


def _create(file: Path) -> None:
    """Write a new key beside `file` and link it there; the first of several writers wins."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(secrets.token_bytes(_KEY_BYTES))
            out.flush()
            os.fsync(out.fileno())
        link_once(draft, file)
    finally:
        draft.unlink()


def link_once(draft: Path, file: Path) -> bool:
    """Give `draft` the name `file` unless another writer was first; True if it was ours."""
    try:
        os.link(draft, file)
    except FileExistsError:
        return False
    return True
