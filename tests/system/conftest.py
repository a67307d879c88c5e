"""One home and one server for the system tests; each data set goes through the line once."""

from __future__ import annotations

import os
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
from tests.home import Home
from tests.shared import shared_data


@dataclass(frozen=True)
class Lined:
    """A tenant after the whole line ran over it."""

    tenant: str
    ran: Ran
    memory: Memory
    data: Path


@dataclass(frozen=True)
class Line:
    """Runs a shipped source through the whole line in the session's home."""

    home: Home
    driver: Driver
    connection: Connection

    def of(self, source: str, data: Path, **environ: str) -> Lined:
        """The tenant that the source feeds, asked through the graph."""
        with self.home.entered(**environ):
            one = declared(os.environ)[source]
            ran = run_line(one.tenant, {source: one}, {source: LandConfig()}, echo=False)
        return Lined(one.tenant, ran, Memory(self.driver, self.connection.database), data)


@pytest.fixture(scope="session")
def line(home: Home, neo4j_driver: Driver, neo4j_connection: Connection) -> Line:
    """The session's line."""
    return Line(home, neo4j_driver, neo4j_connection)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 32 releases; fetched by pip, or taken from BELIEFGRAPH_TEST_WHEELS."""
    kept = os.environ.get("BELIEFGRAPH_TEST_WHEELS")
    folder = Path(kept) if kept else tmp_path_factory.mktemp("wheels")
    fetch(folder)
    return folder


@pytest.fixture(scope="session")
def tzdata(line: Line, wheels: Path) -> Lined:
    """The demo's data, through the line."""
    folder = line.home.path / "demo"
    folder.mkdir()
    write_episodes(wheels, folder / "tzdata.jsonl.gz")
    return line.of("tzdata", wheels)


@pytest.fixture(scope="session")
def ecdc(line: Line) -> Lined:
    """ECDC's vintages, through the line; skipped where the data is absent."""
    data = shared_data("ecdc-vintages")
    return line.of("ecdc-respiratory", data, BELIEFGRAPH_ECDC=str(data))
