"""One key a data subject, wrapped by its tenant's key; destroyed, all it opened is closed for good.

The vault never keeps the name of a subject, only a keyed hash of it. A destroyed key leaves its
id behind, so that what it encrypted is told apart from what a lost vault could have read.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from lakehouse.keys import check_tenant
from lakehouse.model.counted import counted
from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    InputError,
    IntegrityError,
)
from lakehouse.stamping import system_clock
from lakehouse.vault.envelope import KEY_BYTES, SubjectKey, Tampered
from lakehouse.vault.files import KeyFile, MemoryFile, verb
from lakehouse.vault.guards import FILE, KMS, FileGuard, Guard, KmsGuard, guard_from, vault_path
from lakehouse.vault.tenant_key import TenantKey, unwrap_naming, wrap, wrap_naming

TENANT_ITSELF: Final = ""
"""The subject whose key encrypts what concerns nobody in particular."""


def open_vault(home: Path, environ: Mapping[str, str]) -> Vault:
    """The vault that `environ` names, else the one under `home`; nothing is made or read yet."""
    return Vault(KeyFile(vault_path(home, environ)), guard_from(environ))


@dataclass(frozen=True, slots=True)
class TenantState:
    """What the vault holds of a tenant; `made_at` (µs UTC) is that of its present key."""

    tenant: str
    version: int
    guard: str
    made_at: int
    living: int
    destroyed: int


class Vault:
    """Keys by tenant and subject, for any number of threads and processes."""

    def __init__(self, file: KeyFile, guard: Guard) -> None:
        self._file = file
        self._guard = guard
        self._guards: dict[str, Guard] = {FILE: FileGuard(), KMS: KmsGuard(), guard.name: guard}
        self._opened: dict[bytes, bytes] = {}

    @property
    def path(self) -> Path:
        """The file to back up."""
        return self._file.path

    def holds(self, tenant: str) -> bool:
        """Has the tenant a key here?"""
        if not self._file.exists():
            return False
        with self._file.session() as db:
            return db.execute(verb("tenant"), (tenant,)).fetchone() is not None

    def status(self) -> list[TenantState]:
        """Every tenant's; IntegrityError where the file is damaged."""
        if not self._file.exists():
            return []
        with self._file.session() as db:
            return [TenantState(*row) for row in db.execute(verb("tell_tenants"))]

    def check(self) -> None:
        """IntegrityError where the file is damaged, or a tenant's key does not open its own."""
        if not self._file.exists():
            return
        self._file.check()
        for state in self.status():
            with self._file.session() as db:
                self._tenant_key(db, state.tenant)

    def keys_of(self, tenant: str, subjects: Collection[str]) -> dict[str, SubjectKey]:
        """The subjects' living keys; what is missing is made, once, whoever asks first."""
        check_tenant(tenant)
        wanted = set(subjects)
        found: dict[str, SubjectKey] = {}
        if not wanted:
            return found
        if self.holds(tenant):
            with self._file.session() as db:
                found = self._living(db, tenant, wanted)
        else:
            self._add_tenant(tenant)
        if wanted - found.keys():
            with self._file.session(write=True) as db:
                found |= self._living(db, tenant, wanted - found.keys())
                found |= self._added(db, tenant, wanted - found.keys())
        return found

    def keys_by_id(self, tenant: str, ids: Collection[str]) -> dict[str, SubjectKey | None]:
        """Keys that rows name, None for a destroyed one; IntegrityError for one never held."""
        if not ids:
            return {}
        if not self._file.exists():
            raise IntegrityError(
                f"the vault {self.path} is not there, and tenant {tenant!r} has payloads that its "
                "keys encrypted",
                remedy="Restore the file from its backup, or name it by BELIEFGRAPH_VAULT: "
                "nothing else can read them.",
            )
        with self._file.session() as db:
            key = self._tenant_key(db, tenant)
            rows = dict(db.execute(verb("find_keys"), (tenant, json.dumps(list(ids)))))
        missing = sorted(set(ids) - rows.keys())
        if missing or key is None:
            raise IntegrityError(
                f"the vault {self.path} has never held {counted(len(missing), 'key')} that tenant "
                f"{tenant!r} encrypted with, first {missing[0] if missing else '-'}",
                remedy="It is another vault, or an old backup: restore the newest, or name the "
                "right file by BELIEFGRAPH_VAULT.",
            )
        return {
            one: None if wrapped is None else self._unwrap(key, one, wrapped)
            for one, wrapped in rows.items()
        }

    def destroy(self, tenant: str, subject: str) -> tuple[str, ...]:
        """Destroy the subject's key for good; the ids of all keys of it that were destroyed so far.

        The file is written anew and searched for the key. Again for a destroyed subject: nothing
        but that. InputError for a subject without a key; the error does not name it.
        """
        if not subject:
            raise InputError("no subject was named", remedy="Name the subject to forget.")
        with self._file.session(write=True) as db:
            key = self._tenant_key(db, tenant)
            name = key.name_of(subject) if key else ""
            living = db.execute(verb("find_living"), (tenant, json.dumps([name]))).fetchall()
            for _, key_id, _ in living:
                db.execute(verb("destroy_key"), (system_clock(), tenant, key_id))
            ids = tuple(one for (one,) in db.execute(verb("list_destroyed"), (tenant, name)))
        if not ids:
            raise InputError(
                f"tenant {tenant!r} has no key for that subject in the vault {self.path}",
                remedy="Check the subject's name: it is the text that the source declares.",
            )
        self._file.rebuild([wrapped for *_, wrapped in living])
        return ids

    def rotate(self, tenant: str) -> int:
        """Give the tenant a new key and wrap its subjects' keys by it, at once; its version.

        Payloads stay as they are. The new key has today's guard. ConflictError where another
        rotation was first.
        """
        old = None
        if self._file.exists():
            with self._file.session() as db:
                old = self._tenant_key(db, tenant)
        if old is None:
            raise InputError(
                f"tenant {tenant!r} has no key in the vault {self.path}",
                remedy="It gets one when its first encrypted payload lands.",
            )
        made, kept = self._guard.make(tenant)
        new = AESGCM(made)
        with self._file.session(write=True) as db:
            now = self._tenant_key(db, tenant)
            if now is None or now.version != old.version:
                raise ConflictError(
                    f"the key of tenant {tenant!r} was rotated just now",
                    remedy="Rotate again if another one is wanted.",
                )
            self._rewrap(db, tenant, old, new)
            naming = wrap_naming(new, tenant, old.naming)
            row = (self._guard.name, kept, naming, system_clock(), tenant)
            db.execute(verb("replace_tenant"), row)
        self._file.rebuild([old.kept])
        self._opened.pop(old.kept, None)
        return old.version + 1

    def _rewrap(self, db: sqlite3.Connection, tenant: str, old: TenantKey, new: AESGCM) -> None:
        wrong: list[IntegrityError] = []

        def rewrapped(key_id: str, wrapped: bytes) -> bytes | None:
            try:
                key = self._unwrap(old, key_id, wrapped)
            except IntegrityError as damaged:
                wrong.append(damaged)
                raise
            return wrap(new, tenant, key)

        db.create_function("rewrapped", 2, rewrapped)
        try:
            db.execute(verb("rewrap"), (tenant,))
        except sqlite3.OperationalError:
            if wrong:
                raise wrong[0] from None
            raise

    def _add_tenant(self, tenant: str) -> None:
        made, kept = self._guard.make(tenant)
        naming = wrap_naming(AESGCM(made), tenant, os.urandom(KEY_BYTES))
        with self._file.session(write=True) as db:
            if db.execute(verb("tenant"), (tenant,)).fetchone() is None:
                row = (tenant, self._guard.name, kept, naming, system_clock())
                db.execute(verb("add_tenant"), row)

    def _tenant_key(self, db: sqlite3.Connection, tenant: str) -> TenantKey | None:
        row = db.execute(verb("tenant"), (tenant,)).fetchone()
        if row is None:
            return None
        version, guard, kept, naming = row
        if guard not in self._guards:
            raise ConfigurationError(
                f"the vault {self.path} is guarded by {guard!r}",
                remedy="Use a version that knows this guard.",
            )
        if kept not in self._opened:
            self._opened[kept] = self._guards[guard].open(tenant, kept)
        cipher = AESGCM(self._opened[kept])
        try:
            return TenantKey(tenant, version, kept, cipher, unwrap_naming(cipher, tenant, naming))
        except Tampered as wrong:
            raise self._damaged(f"the key of tenant {tenant!r}") from wrong

    def _living(
        self, db: sqlite3.Connection, tenant: str, subjects: Collection[str]
    ) -> dict[str, SubjectKey]:
        key = self._tenant_key(db, tenant)
        if key is None:
            return {}
        names = {key.name_of(subject): subject for subject in subjects}
        rows = db.execute(verb("find_living"), (tenant, json.dumps(list(names))))
        return {names[name]: self._unwrap(key, *row) for name, *row in rows}

    def _added(
        self, db: sqlite3.Connection, tenant: str, subjects: Collection[str]
    ) -> dict[str, SubjectKey]:
        key = self._tenant_key(db, tenant)
        if key is None:
            raise self._damaged(f"the key of tenant {tenant!r}")
        made = {one: SubjectKey(secrets.token_hex(12), os.urandom(KEY_BYTES)) for one in subjects}
        now = system_clock()
        db.executemany(
            verb("add_key"),
            (
                (one.key_id, tenant, key.name_of(subject), wrap(key.cipher, tenant, one), now)
                for subject, one in made.items()
            ),
        )
        return made

    def _unwrap(self, key: TenantKey, key_id: str, wrapped: bytes) -> SubjectKey:
        try:
            return key.unwrap(key_id, wrapped)
        except Tampered as wrong:
            raise self._damaged(f"key {key_id} of tenant {key.tenant!r}") from wrong

    def _damaged(self, what: str) -> IntegrityError:
        return IntegrityError(
            f"{what} in the vault {self.path} is damaged",
            remedy="Restore the vault from its newest backup; then destroy again what was "
            "destroyed since.",
        )


class MemoryVault(Vault):
    """A vault of this process, gone with it."""

    def __init__(self) -> None:
        super().__init__(MemoryFile(), FileGuard())
