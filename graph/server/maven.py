"""The only module that speaks to a Maven repository, through jgo (no Maven needed).

A download lands in a folder of its own, is compared with the lock there, and only then takes
its place by a rename: what a broken connection left behind never has a jar's name.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Final

from graph.server import room
from graph.server.locked import LockedJar
from lakehouse.ledger import Progress
from lakehouse.model.errors import ConfigurationError, IntegrityError, UnavailableError

TIMEOUT_SECONDS: Final = 30
_ATTEMPTS: Final = 3
_CONNECTIONS: Final = 4
_STAGING: Final = ".beliefgraph-download-"


def download(jars: Sequence[LockedJar], repository: Path, *, progress: Progress) -> None:
    """Bring the jars into the local repository; all of them, or an error that names one."""
    total = sum(jar.size for jar in jars)
    progress(f"downloading Neo4j: {len(jars)} jars, {total / 1e6:.0f} MB, into {repository}")
    staging = _staging(repository)
    failed = threading.Event()
    done = 0
    tenth = 1
    try:
        room.require(repository, total / 1e6, "the download of Neo4j")
        with ThreadPoolExecutor(_CONNECTIONS) as pool:
            tasks = {pool.submit(_fetch, jar, repository, staging, failed): jar for jar in jars}
            try:
                for task in as_completed(tasks):
                    task.result()
                    done += tasks[task].size
                    if done * 10 >= total * tenth:
                        progress(f"downloaded {done / 1e6:.0f} of {total / 1e6:.0f} MB")
                        tenth = done * 10 // total + 1
            except BaseException:
                failed.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _staging(repository: Path) -> Path:
    """A folder on the repository's own disk, so that a rename suffices."""
    try:
        repository.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=_STAGING, dir=repository))
    except OSError as error:
        raise ConfigurationError(
            f"The local Maven repository {repository} cannot be written: "
            f"{error.strerror or error}.",
            remedy="Set M2_REPO to a folder that you may write to.",
        ) from error


def _fetch(jar: LockedJar, repository: Path, staging: Path, failed: threading.Event) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        if failed.is_set():
            return
        folder = Path(tempfile.mkdtemp(dir=staging))
        try:
            path = _download_one(jar, folder)
            break
        except Exception as error:  # jgo lets everything through: sockets, HTTP, its own
            if room.is_full(error):
                raise UnavailableError(
                    f"The disk of {repository} is full.",
                    remedy="Make room there, or name another place by M2_REPO, and run "
                    "beliefgraph up again: what is complete is kept.",
                    jar=jar.coordinate,
                ) from error
            if attempt == _ATTEMPTS:
                raise UnavailableError(
                    f"Neo4j's jar {jar.coordinate} could not be downloaded "
                    f"({type(error).__name__}, tried {_ATTEMPTS} times).",
                    remedy="The first start needs the network (or a filled Maven repository, "
                    "named by M2_REPO); later ones do not. Check the connection and the proxy "
                    "settings, and run beliefgraph up again: what is complete is kept.",
                    jar=jar.coordinate,
                ) from error
            failed.wait(attempt)
    if not jar.is_matched_by(path):
        raise IntegrityError(
            f"What was downloaded as {jar.coordinate} is not the jar that the lock names.",
            remedy="Nothing of it was kept. Run beliefgraph up again; if it comes back, "
            "somebody between here and the Maven repository changes what passes.",
            jar=jar.coordinate,
        )
    target = repository / jar.repository_path
    target.parent.mkdir(parents=True, exist_ok=True)
    path.replace(target)


def _download_one(jar: LockedJar, folder: Path) -> Path:
    from jgo.maven import MavenContext  # noqa: PLC0415 (slow to load, needed once a machine)

    context = MavenContext(repo_cache=folder, timeout=TIMEOUT_SECONDS)
    component = context.project(jar.group, jar.artifact).at_version(jar.version)
    return component.artifact(jar.classifier).resolve()
