"""A real Neo4j for the tests: one server and one driver for each worker of a run.

With `NEO4J_URI` set that server is used. Otherwise the managed one is started in
`BELIEFGRAPH_TEST_HOME` (kept, so that the next run finds its jars), else in a folder of its own;
`BELIEFGRAPH_TEST_NEO4J` chooses its series (`5.26`). What was running before is left running.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from neo4j import Driver

from graph import schema
from graph.server import Connection, down, status, up
from graph.session import open_driver

OURS: Final = "BELIEFGRAPH_TEST_HOME"
SERIES: Final = "BELIEFGRAPH_TEST_NEO4J"

own_servers: Final = pytest.mark.skipif(
    SERIES not in os.environ,
    reason="starts servers of its own, which takes long: make test-servers",
)
"""For tests that are not run every time."""


@pytest.fixture(scope="session")
def neo4j_connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """Where the tests' server listens."""
    kept = os.environ.get(OURS)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    assert not (worker and os.environ.get("NEO4J_URI")), (
        "NEO4J_URI names one server, and each worker needs its own: make test WORKERS=0"
    )
    home = str(Path(kept) / worker) if kept else str(tmp_path_factory.mktemp("neo4j-home"))
    environ = {**os.environ, "BELIEFGRAPH_HOME": home}
    before = status(environ).state
    yield up(environ, neo4j=os.environ.get(SERIES))
    if before not in {"running", "external"}:
        down(environ)


@pytest.fixture(scope="session")
def neo4j_driver(neo4j_connection: Connection) -> Iterator[Driver]:
    """A driver on a database with our schema; the server's warnings are errors."""
    driver = open_driver(neo4j_connection, warn=True)
    try:
        schema.ensure(driver, neo4j_connection.database)
        yield driver
    finally:
        driver.close()
