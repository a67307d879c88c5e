"""One home and one server for the system tests; each data set goes through the line once."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from neo4j import Driver

from graph.drop import drop
from graph.server import Connection
from graph.session import open_driver
from lakehouse.model.listeners import Listeners
from pipelines.commands import run_line
from pipelines.demo.episodes import write_episodes
from pipelines.demo.releases import fetch
from pipelines.runs import LandConfig, Ran
from pipelines.sources import declared
from queries.memory import Memory
from tests.home import Home
from tests.shared import everyday, shared_data


@dataclass(frozen=True)
class Lined:
    """A tenant after the whole line ran over it."""

    tenant: str
    ran: Ran
    memory: Memory
    data: Path
    home: Home
    line: Line

    def raw(self, cypher: str) -> list[dict[str, object]]:
        """The rows of a query, as a stranger would put it to the database."""
        found, _, _ = self.line.driver.execute_query(
            cypher,  # type: ignore[arg-type]
            database_=self.line.connection.database,
        )
        return [dict(row) for row in found]


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
            with open_driver(self.connection) as driver:  # A server that is kept has an older one.
                drop(driver, self.connection.database, one.tenant)
            ran = run_line(one.tenant, {source: one}, {source: LandConfig()}, echo=False)
        listeners = Listeners(one.listeners)
        memory = Memory(self.driver, self.connection.database, listeners=lambda _: listeners)
        return Lined(one.tenant, ran, memory, data, self.home, self)


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
def ecdc(line: Line, tmp_path_factory: pytest.TempPathFactory) -> Lined:
    """ECDC's vintages, through the line; skipped where the data is absent."""
    data = everyday(shared_data("ecdc-vintages"), tmp_path_factory.mktemp("ecdc"))
    return line.of("ecdc-respiratory", data, BELIEFGRAPH_ECDC=str(data))


@pytest.fixture(scope="session")
def endoflife(line: Line, tmp_path_factory: pytest.TempPathFactory) -> Lined:
    """Support windows of endoflife.date, through the line; skipped where the data is absent."""
    data = everyday(shared_data("endoflife"), tmp_path_factory.mktemp("endoflife"))
    return line.of("endoflife", data, BELIEFGRAPH_ENDOFLIFE=str(data))


@pytest.fixture(scope="session")
def congress(line: Line) -> Lined:
    """Members and committees of Congress, through the line; skipped where the data is absent."""
    data = shared_data("congress-sample")
    return line.of("congress", data, BELIEFGRAPH_CONGRESS=str(data))
