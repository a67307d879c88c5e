"""An empty home of its own over the tests' server, for tests that run the whole line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph.server import Connection


@dataclass(frozen=True)
class Home:
    """A BELIEFGRAPH_HOME and the environment that points at it and at the tests' server."""

    path: Path
    environ: dict[str, str] = field(repr=False)

    @contextmanager
    def entered(self, **more: str) -> Iterator[None]:
        """The process's environment for the block."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.environ, **more}.items():
                patch.setenv(name, value)
            yield


def home_at(path: Path, connection: Connection) -> Home:
    """A home in that folder, over that server."""
    return Home(
        path,
        {
            "BELIEFGRAPH_HOME": str(path),
            "DAGSTER_HOME": str(path / "dagster"),
            "NEO4J_URI": connection.uri,
            "NEO4J_USERNAME": connection.username,
            "NEO4J_PASSWORD": connection.password,
            "NEO4J_DATABASE": connection.database,
        },
    )


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory, neo4j_connection: Connection) -> Home:
    """One home for the session's data sets."""
    return home_at(tmp_path_factory.mktemp("home"), neo4j_connection)
