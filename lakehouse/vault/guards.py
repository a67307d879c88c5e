"""Where the vault lies, and who guards a tenant's key in it: the file's mode, or AWS KMS.

A guard makes tenant keys and opens them again from what the vault keeps of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from lakehouse.model.errors import ConfigurationError, UnavailableError
from lakehouse.vault.envelope import KEY_BYTES

PATH_VARIABLE: Final = "BELIEFGRAPH_VAULT"
KMS_VARIABLE: Final = "BELIEFGRAPH_VAULT_KMS_KEY"
FILE: Final = "file"
KMS: Final = "aws-kms"


def vault_path(home: Path, environ: Mapping[str, str]) -> Path:
    """The vault's file: `BELIEFGRAPH_VAULT`, else `vault/keys.sqlite` under the home."""
    given = environ.get(PATH_VARIABLE, "").strip()
    return Path(given).expanduser().resolve() if given else home / "vault" / "keys.sqlite"


def guard_from(environ: Mapping[str, str]) -> Guard:
    """AWS KMS where `BELIEFGRAPH_VAULT_KMS_KEY` names a key, else the file's own mode."""
    key = environ.get(KMS_VARIABLE, "").strip()
    return KmsGuard(key) if key else FileGuard()


class Guard(Protocol):
    """How a tenant's key is made, and had again."""

    @property
    def name(self) -> str:
        """What the vault keeps beside what this guard made."""
        ...

    def make(self, tenant: str) -> tuple[bytes, bytes]:
        """A new key: itself, and what the vault keeps of it."""
        ...

    def open(self, tenant: str, kept: bytes) -> bytes:
        """The key that the vault keeps so."""
        ...


class FileGuard:
    """The key lies in the vault as it is; that only its owner reads the file protects it."""

    name = FILE

    def make(self, tenant: str) -> tuple[bytes, bytes]:
        """A random key."""
        key = os.urandom(KEY_BYTES)
        return key, key

    def open(self, tenant: str, kept: bytes) -> bytes:
        """It is what is kept."""
        return kept


class KmsGuard:
    """The key comes from AWS KMS and lies in the vault encrypted by it, bound to the tenant."""

    name = KMS

    def __init__(self, key: str = "", client: Any = None) -> None:
        """`key` is the id, ARN or alias that new tenant keys are made under."""
        self._key = key
        self._client = client

    def make(self, tenant: str) -> tuple[bytes, bytes]:
        """A data key of KMS."""
        made = self._ask(
            "generate_data_key",
            KeyId=self._key,
            KeySpec="AES_256",
            EncryptionContext=_context(tenant),
        )
        return made["Plaintext"], made["CiphertextBlob"]

    def open(self, tenant: str, kept: bytes) -> bytes:
        """Decrypted by KMS, which knows by itself under which of its keys."""
        asked = {"CiphertextBlob": kept, "EncryptionContext": _context(tenant)}
        return bytes(self._ask("decrypt", **asked)["Plaintext"])

    def _ask(self, operation: str, **asked: Any) -> Any:
        try:
            from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  (an extra)
        except ModuleNotFoundError as missing:
            raise _absent(missing) from missing
        try:
            return getattr(self._opened(), operation)(**asked)
        except ClientError as refused:
            raise ConfigurationError(
                f"AWS KMS refuses {operation} for the vault: {refused}",
                remedy=f"Check {KMS_VARIABLE}, and that the login may kms:GenerateDataKey and "
                "kms:Decrypt with that key.",
            ) from refused
        except BotoCoreError as wrong:
            raise UnavailableError(
                f"AWS KMS, which guards the vault's tenant keys, is not reached: {wrong}",
                remedy="Log in as for any AWS tool, name a region (AWS_REGION), and run again.",
            ) from wrong

    def _opened(self) -> Any:
        if self._client is None:
            import boto3  # noqa: PLC0415  (an extra, and slow to load)

            self._client = boto3.client("kms")
        return self._client


def _context(tenant: str) -> dict[str, str]:
    return {"beliefgraph:tenant": tenant}


def _absent(missing: ModuleNotFoundError) -> UnavailableError:
    return UnavailableError(
        f"a vault guarded by AWS KMS needs the package {missing.name}, which is not installed",
        remedy="pip install 'beliefgraph[aws]' (in a checkout: pip install -e '.[aws]').",
    )
