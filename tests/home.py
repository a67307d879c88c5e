"""An empty home of its own over the tests' server, for tests that run the whole line.

With `BELIEFGRAPH_TEST_STORE=s3` its lake lies on the tests' S3 server instead of in the home.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph.server import Connection
from tests.lakes import s3_settings


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


def home_at(path: Path, connection: Connection, settings: Mapping[str, str] | None = None) -> Home:
    """A home in that folder, over that server, its lake where `settings` say."""
    return Home(
        path,
        {
            **(settings or {}),
            "BELIEFGRAPH_HOME": str(path),
            "DAGSTER_HOME": str(path / "dagster"),
            "NEO4J_URI": connection.uri,
            "NEO4J_USERNAME": connection.username,
            "NEO4J_PASSWORD": connection.password,
            "NEO4J_DATABASE": connection.database,
        },
    )


@pytest.fixture(scope="session")
def home(
    tmp_path_factory: pytest.TempPathFactory,
    neo4j_connection: Connection,
    request: pytest.FixtureRequest,
) -> Home:
    """One home for the session's data sets."""
    store = os.environ.get("BELIEFGRAPH_TEST_STORE", "local")
    assert store in {"local", "s3"}, store
    settings = s3_settings(request.getfixturevalue("s3_server")) if store == "s3" else {}
    return home_at(tmp_path_factory.mktemp("home"), neo4j_connection, settings)
