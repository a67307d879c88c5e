"""The home's jars: every one is what the lock says before Java sees it.

A home keeps its own set (`neo4j/lib/<version>`), so a cleaned cache never breaks it. Its jars
are hard links into the local Maven repository where the disk is the same, copies elsewhere;
so a second home costs neither a download nor space.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from graph.server.layout import Layout
from graph.server.locked import LockedJar, read_lock
from graph.server.maven import download
from graph.server.release import Release
from lakehouse.ledger import Progress
from lakehouse.model.errors import IntegrityError


def ensure(layout: Layout, release: Release, repository: Path, *, progress: Progress) -> str:
    """Have all jars in place and return the class path; it names them one by one."""
    folder = layout.lib / release.version
    folder.mkdir(parents=True, exist_ok=True)
    jars = read_lock(release)
    absent = [jar for jar in jars if not (folder / jar.file_name).exists()]
    if absent:
        _supply(absent, repository, folder, progress)
    _verify([(jar, folder / jar.file_name) for jar in jars])
    return os.pathsep.join(str(folder / jar.file_name) for jar in jars)


def _supply(
    absent: Sequence[LockedJar],
    repository: Path,
    folder: Path,
    progress: Progress,
) -> None:
    missing = [jar for jar in absent if not _is_complete(jar, repository / jar.repository_path)]
    if missing:
        download(missing, repository, progress=progress)
    _verify([(jar, repository / jar.repository_path) for jar in absent])
    for jar in absent:
        _link(repository / jar.repository_path, folder / jar.file_name)


def _is_complete(jar: LockedJar, path: Path) -> bool:
    """A shorter file is somebody's broken download, and counts as none."""
    return path.exists() and path.stat().st_size >= jar.size


def _verify(files: Sequence[tuple[LockedJar, Path]]) -> None:
    """Refuse the whole set for one wrong jar, and name it."""
    with ThreadPoolExecutor(2) as pool:
        matches = list(pool.map(lambda pair: pair[0].is_matched_by(pair[1]), files))
    for (jar, path), matched in zip(files, matches, strict=True):
        if not matched:
            raise IntegrityError(
                f"The jar {path} is not the {jar.coordinate} that the lock names: "
                "it was changed after it was downloaded.",
                remedy=f"Nothing was started. Find out who changed it, delete {path}, and run "
                "beliefgraph up again.",
                jar=jar.coordinate,
                path=path,
            )


def _link(source: Path, target: Path) -> None:
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    try:
        os.link(source, draft)
    except OSError:
        shutil.copyfile(source, draft)
    draft.replace(target)
