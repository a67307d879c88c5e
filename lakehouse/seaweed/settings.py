"""Generated keys, and the files in which SeaweedFS and PyIceberg read them (all mode 0600).

Nothing of them stands in an environment, a command line or a log.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import yaml

from lakehouse.local.home import read_record, write_private
from lakehouse.local.ports import LOOPBACK
from lakehouse.model.errors import IntegrityError
from lakehouse.seaweed.layout import Layout

BUCKET: Final = "beliefgraph"
"""The table bucket that holds the lake."""
CATALOG: Final = "local-s3"
"""What the catalog is called in PyIceberg's settings."""
REGION: Final = "us-east-1"
"""S3 clients must name one; SeaweedFS takes any."""
_KEYS: Final = ("access_key_id", "secret_access_key", "volume_key", "filer_key")


@dataclass(frozen=True, slots=True)
class S3Server:
    """How to reach a home's S3 server; secrets never show in a repr."""

    endpoint: str
    catalog: str
    access_key_id: str = field(repr=False)
    secret_access_key: str = field(repr=False)
    settings: Path

    @property
    def properties(self) -> dict[str, str]:
        """The catalog's properties in PyIceberg's own words: those of S3 Tables, served here."""
        return {
            "type": "rest",
            "uri": self.catalog,
            "warehouse": f"s3://{BUCKET}",
            "rest.sigv4-enabled": "true",
            "rest.signing-name": "s3tables",
            "rest.signing-region": REGION,
            "s3.endpoint": self.endpoint,
            "client.region": REGION,
            "client.access-key-id": self.access_key_id,
            "client.secret-access-key": self.secret_access_key,
        }


def server_at(layout: Layout, ports: Mapping[str, int]) -> S3Server:
    """The server of this home behind these ports."""
    keys = keys_of(layout)
    return S3Server(
        endpoint=f"http://{LOOPBACK}:{ports['s3']}",
        catalog=f"http://{LOOPBACK}:{ports['iceberg']}",
        access_key_id=keys["access_key_id"],
        secret_access_key=keys["secret_access_key"],
        settings=layout.settings_file,
    )


def keys_of(layout: Layout) -> dict[str, str]:
    """The keys of this home, made on first use; IntegrityError for an unusable file."""
    if not layout.keys_file.exists():
        made = {name: secrets.token_hex(32) for name in _KEYS}
        made["access_key_id"] = f"BG{secrets.token_hex(9).upper()}"
        write_private(layout.keys_file, json.dumps(made, indent=1) + "\n")
    found = read_record(layout.keys_file)
    if not all(isinstance(found.get(name), str) and found[name] for name in _KEYS):
        raise IntegrityError(
            f"The file {layout.keys_file} does not hold the S3 server's keys.",
            remedy="Stop the server (beliefgraph down), delete the file, and run beliefgraph up "
            "--s3 again: new keys are made, the data stays.",
        )
    return {name: str(found[name]) for name in _KEYS}


def write_server_files(layout: Layout) -> None:
    """What SeaweedFS reads at a start: who may log in, and how its parts trust each other."""
    keys = keys_of(layout)
    login = {
        "accessKey": keys["access_key_id"],
        "secretKey": keys["secret_access_key"],
    }
    actions = ["Admin", "Read", "Write", "List", "Tagging"]
    identity = {"name": BUCKET, "credentials": [login], "actions": actions}
    write_private(layout.identities_file, json.dumps({"identities": [identity]}) + "\n")
    sections = {
        "jwt.signing": keys["volume_key"],
        "jwt.signing.read": keys["volume_key"],
        "jwt.filer_signing": keys["filer_key"],
        "jwt.filer_signing.read": keys["filer_key"],
    }
    text = "".join(f'[{section}]\nkey = "{key}"\n' for section, key in sections.items())
    write_private(layout.security_file, text)


def write_client_settings(server: S3Server) -> None:
    """What PyIceberg reads where `PYICEBERG_HOME` names the folder."""
    text = "# Written at every start of the S3 server; changes made here are lost.\n"
    text += yaml.safe_dump({"catalog": {CATALOG: server.properties}}, sort_keys=False)
    write_private(server.settings, text)
