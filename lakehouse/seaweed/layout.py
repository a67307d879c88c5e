"""Where everything of the S3 server lies: the folder `s3` of a home.

`server.json` holds the ports that the last start chose and outlives the server; `running.json`
names the process and is there only while one is meant to run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from lakehouse.local.home import Running, read_record, read_running, write_private
from lakehouse.local.processes import Server
from lakehouse.model.errors import ConfigurationError

PORTS: Final = (
    "s3",
    "iceberg",
    "master",
    "volume",
    "filer",
    "s3_grpc",
    "master_grpc",
    "volume_grpc",
    "filer_grpc",
    "admin",
)
"""Every port that SeaweedFS opens, but for the admin's second; the first two are for clients."""
ADMIN_GAP: Final = 10_000
"""The admin's second port is this far above its first: its workers look nowhere else."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one home's S3 server."""

    home: Path

    @property
    def root(self) -> Path:
        """The server's folder and working directory; PyIceberg's settings lie in it."""
        return self.home / "s3"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def log(self) -> Path:
        return self.root / "seaweedfs.log"

    @property
    def lock(self) -> Path:
        return self.root / "server.lock"

    @property
    def keys_file(self) -> Path:
        """The generated access key and the server's own signing keys."""
        return self.root / "keys.json"

    @property
    def identities_file(self) -> Path:
        """Who may do what, as SeaweedFS reads it."""
        return self.root / "identities.json"

    @property
    def security_file(self) -> Path:
        """Keys by which SeaweedFS's parts trust each other, found by it in its working folder."""
        return self.root / "security.toml"

    @property
    def settings_file(self) -> Path:
        """The catalog's address and login, as PyIceberg reads it."""
        return self.root / ".pyiceberg.yaml"

    @property
    def ports_file(self) -> Path:
        return self.root / "server.json"

    @property
    def running_file(self) -> Path:
        return self.root / "running.json"

    @property
    def server(self) -> Server:
        """The server of this home, as processes are told apart."""
        return Server(
            name="SeaweedFS",
            marks=("mini", f"-dir={self.data}"),
            after_kill="what it had answered for is on disk",
        )

    def prepare(self) -> None:
        """Make the folders, readable by their owner only."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
            self.root.chmod(0o700)
        except OSError as error:
            raise ConfigurationError(
                f"The folder {self.root} cannot be made: {error.strerror or error}.",
                remedy="Set BELIEFGRAPH_HOME to a folder that you may write to.",
            ) from error

    def ports(self) -> Mapping[str, int] | None:
        """The ports of the last start; None where none (readable) are remembered."""
        found = read_record(self.ports_file)
        try:
            return {name: int(found[name]) for name in PORTS}
        except (KeyError, TypeError, ValueError):
            return None

    def running(self) -> Running | None:
        """The process that is meant to run; None where none is recorded."""
        return read_running(self.running_file)

    def remember_ports(self, ports: Mapping[str, int]) -> None:
        write_private(self.ports_file, json.dumps(dict(ports), indent=1) + "\n")

    def remember_running(self, running: Running) -> None:
        write_private(self.running_file, json.dumps(asdict(running), indent=1) + "\n")

    def forget_running(self) -> None:
        self.running_file.unlink(missing_ok=True)
