"""For developers: resolve Neo4j's artifacts anew and write the lock (needs the network).

Example: python -m graph.server.relock 5.26
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from jgo.maven import MavenContext

from graph.server.layout import maven_repository_from
from graph.server.locked import LockedJar, digest, render
from graph.server.release import RELEASES, Release


def resolve(release: Release, repository: Path) -> tuple[LockedJar, ...]:
    """Every jar that the server runs with, as the Maven repository gives it today."""
    context = MavenContext(repo_cache=repository, timeout=30)
    version = release.version
    roots = [context.create_dependency(f"{g}:{a}:{version}") for g, a in release.artifacts]
    inputs, transitive = context.resolver.resolve(roots)
    needed = [*inputs, *(d for d in transitive if d.scope in ("compile", "runtime"))]
    jars: dict[str, LockedJar] = {}
    for artifact in (dependency.artifact for dependency in needed):
        path = artifact.resolve()
        jar = LockedJar(
            sha256=digest(path),
            size=path.stat().st_size,
            group=artifact.groupId,
            artifact=artifact.artifactId,
            version=artifact.version,
            classifier=artifact.classifier,
        )
        jars.setdefault(jar.coordinate, jar)
    return tuple(jars.values())


def main() -> None:
    """Write the locks of the series that are named (all, if none) beside this file."""
    for series in sys.argv[1:] or RELEASES:
        release = RELEASES[series]
        jars = resolve(release, maven_repository_from(os.environ))
        path = Path(__file__).with_name(release.lock_name)
        path.write_text(render(jars), encoding="utf-8")
        megabytes = sum(jar.size for jar in jars) / 1e6
        sys.stdout.write(f"{path}: {len(jars)} jars, {megabytes:.0f} MB\n")


if __name__ == "__main__":
    main()
