"""One home and one server for the system tests; each data set goes through the line once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from neo4j import Driver

from graph.server import Connection
from pipelines.commands import run_line
from pipelines.demo.episodes import write_episodes
from pipelines.demo.releases import fetch
from pipelines.runs import LandConfig, Ran
from pipelines.sources import declared
from queries.memory import Memory
from tests.shared import shared_data


@dataclass(frozen=True)
class Lined:
    """A tenant after the whole line ran over it."""

    tenant: str
    ran: Ran
    memory: Memory
    data: Path


@pytest.fixture(scope="session")
def home(
    tmp_path_factory: pytest.TempPathFactory, neo4j_connection: Connection
) -> Iterator[Path]:
    """An empty home of its own, over the tests' server."""
    folder = tmp_path_factory.mktemp("system-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BELIEFGRAPH_HOME", str(folder))
        patch.setenv("NEO4J_URI", neo4j_connection.uri)
        patch.setenv("NEO4J_USERNAME", neo4j_connection.username)
        patch.setenv("NEO4J_PASSWORD", neo4j_connection.password)
        patch.setenv("NEO4J_DATABASE", neo4j_connection.database)
        yield folder


def _line(source: str, driver: Driver, connection: Connection, data: Path) -> Lined:
    one = declared(os.environ)[source]
    ran = run_line(one.tenant, {source: one}, {source: LandConfig()}, echo=False)
    memory = Memory(driver, connection.database)
    return Lined(one.tenant, ran, memory, data)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 32 releases; fetched by pip, or taken from BELIEFGRAPH_TEST_WHEELS."""
    kept = os.environ.get("BELIEFGRAPH_TEST_WHEELS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("wheels")
    fetch(folder)
    return folder


@pytest.fixture(scope="session")
def tzdata(
    home: Path, wheels: Path, neo4j_driver: Driver, neo4j_connection: Connection
) -> Lined:
    """The demo's data, through the line."""
    (home / "demo").mkdir()
    write_episodes(wheels, home / "demo" / "tzdata.jsonl.gz")
    return _line("tzdata", neo4j_driver, neo4j_connection, wheels)


@pytest.fixture(scope="session")
def ecdc(home: Path, neo4j_driver: Driver, neo4j_connection: Connection) -> Lined:
    """ECDC's vintages, through the line; skipped where the data is absent."""
    data = shared_data("ecdc-vintages")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BELIEFGRAPH_ECDC", str(data))
        return _line("ecdc-respiratory", neo4j_driver, neo4j_connection, data)
