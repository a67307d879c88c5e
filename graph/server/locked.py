"""The lock file: which jars make the server, each with its checksum and size.

One line a jar, `sha256 size group:artifact:version[:classifier]`, in class path order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from graph.server.release import Release
from lakehouse.model.errors import IntegrityError

_HEADER: Final = (
    "# Written by `python -m graph.server.relock`; read the diff before you commit it.\n"
    "# sha256, bytes, group:artifact:version[:classifier], in class path order.\n"
)


@dataclass(frozen=True, slots=True)
class LockedJar:
    """One jar as it must be."""

    sha256: str
    size: int
    group: str
    artifact: str
    version: str
    classifier: str = ""

    @property
    def file_name(self) -> str:
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{suffix}.jar"

    @property
    def repository_path(self) -> Path:
        """Where a Maven repository keeps it."""
        return Path(*self.group.split("."), self.artifact, self.version, self.file_name)

    @property
    def coordinate(self) -> str:
        parts = (self.group, self.artifact, self.version, self.classifier)
        return ":".join(part for part in parts if part)

    def is_matched_by(self, path: Path) -> bool:
        """Is this file the locked jar, byte for byte?"""
        if path.stat().st_size != self.size:
            return False
        return digest(path) == self.sha256


def digest(path: Path) -> str:
    """The file's sha256 in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def read_lock(release: Release) -> tuple[LockedJar, ...]:
    """The lock that this package ships, checked against the version that it claims to be."""
    name, version = release.lock_name, release.version
    text = resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
    jars = parse(text, name)
    present = {(jar.group, jar.artifact, jar.version) for jar in jars}
    missing = [f"{g}:{a}" for g, a in release.artifacts if (g, a, version) not in present]
    if missing or len({jar.file_name for jar in jars}) != len(jars):
        raise IntegrityError(
            f"{name} is not the lock of Neo4j {version}.",
            remedy="Reinstall beliefgraph; developers run python -m graph.server.relock.",
        )
    return jars


def parse(text: str, name: str) -> tuple[LockedJar, ...]:
    """Read a lock's text; errors call it by its name."""
    jars = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        try:
            sha256, size, coordinate = line.split()
            jars.append(LockedJar(sha256, int(size), *coordinate.split(":")))
        except (TypeError, ValueError) as error:
            raise IntegrityError(
                f"{name} is damaged in line {number}.", remedy="Reinstall beliefgraph."
            ) from error
    return tuple(jars)


def render(jars: Iterable[LockedJar]) -> str:
    """Write a lock's text."""
    return _HEADER + "".join(f"{jar.sha256} {jar.size} {jar.coordinate}\n" for jar in jars)
