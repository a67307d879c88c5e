"""Where everything lies: one folder under the home, and two small files that remember.

`server.json` is what the last start chose (port, memory, version) and outlives the server;
`running.json` names the process and is there only while one is meant to run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from lakehouse.local.home import Running, read_record, read_running, user_home, write_private
from lakehouse.model.errors import ConfigurationError


def maven_repository_from(environ: Mapping[str, str]) -> Path:
    """The local Maven repository that all homes share: `M2_REPO`, or Maven's own place."""
    given = environ.get("M2_REPO", "").strip()
    repository = Path(given).expanduser() if given else user_home(environ) / ".m2" / "repository"
    return repository.resolve()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a start chose, remembered for the next one."""

    bolt_port: int
    heap_mb: int
    page_cache_mb: int
    version: str
    memory_asked: bool = False
    """Whether somebody chose the memory, or we did."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one home's server."""

    home: Path

    @property
    def root(self) -> Path:
        """Neo4j's own home; its name on the command line is how a process is recognised."""
        return self.home / "neo4j"

    @property
    def lib(self) -> Path:
        return self.root / "lib"

    @property
    def conf(self) -> Path:
        return self.root / "conf"

    @property
    def settings(self) -> Path:
        """Neo4j's own settings, written at every start."""
        return self.conf / "neo4j.conf"

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def maker(self) -> Path:
        """Says which version made the store."""
        return self.data / "made-by"

    @property
    def replaced(self) -> Path:
        """The store before, while another takes its place."""
        return self.root / "data.replaced"

    @property
    def removed(self) -> Path:
        """What is being deleted: never a store again."""
        return self.root / "data.removed"

    @property
    def workshop(self) -> Path:
        """The home inside the home in which a rebuild makes its store."""
        return self.root / "rebuild"

    @property
    def java(self) -> Path:
        """Javas of this home's own, a folder each by major version."""
        return self.root / "java"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def log(self) -> Path:
        """What Neo4j has to say to its user."""
        return self.logs / "neo4j.log"

    @property
    def debug_log(self) -> Path:
        """What Neo4j has to say to those who look for the cause."""
        return self.logs / "debug.log"

    @property
    def console(self) -> Path:
        """What the Java runtime printed: only of interest when a start failed."""
        return self.logs / "console.log"

    @property
    def password(self) -> Path:
        return self.root / "password"

    @property
    def lock(self) -> Path:
        return self.root / "server.lock"

    @property
    def choices_file(self) -> Path:
        return self.root / "server.json"

    @property
    def running_file(self) -> Path:
        return self.root / "running.json"

    @property
    def first_start(self) -> Path:
        """Is there only while a first start is under way: what lies beside it is half made."""
        return self.data / ".first-start"

    def prepare(self) -> None:
        """Make the folders, readable by their owner only."""
        if os.pathsep in str(self.home):
            raise ConfigurationError(
                f"BELIEFGRAPH_HOME {self.home} has {os.pathsep!r} in it, which Java takes for "
                "the end of a path.",
                remedy="Choose another folder.",
            )
        try:
            for folder in (self.root, self.lib, self.conf, self.java, self.logs):
                folder.mkdir(parents=True, exist_ok=True)
            self.root.chmod(0o700)
        except OSError as error:
            raise ConfigurationError(
                f"The folder {self.root} cannot be made: {error.strerror or error}.",
                remedy="Set BELIEFGRAPH_HOME to a folder that you may write to.",
            ) from error

    def choices(self) -> Choices | None:
        """What the last start chose; None where nothing (readable) is remembered."""
        found = read_record(self.choices_file)
        try:
            return Choices(
                bolt_port=int(found["bolt_port"]),
                heap_mb=int(found["heap_mb"]),
                page_cache_mb=int(found["page_cache_mb"]),
                version=str(found["version"]),
                memory_asked=bool(found.get("memory_asked")),
            )
        except (KeyError, TypeError, ValueError):
            return None

    def running(self) -> Running | None:
        """The process that is meant to run; None where none is recorded."""
        return read_running(self.running_file)

    def remember(self, record: Choices | Running) -> None:
        """Write a record whole or not at all."""
        path = self.choices_file if isinstance(record, Choices) else self.running_file
        write_private(path, json.dumps(asdict(record), indent=1) + "\n")

    def forget_running(self) -> None:
        self.running_file.unlink(missing_ok=True)
