"""Fixtures of the tests that project stories: a graph, a story of its own, small batches."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from neo4j import Driver

from graph import batch as batches
from graph import writer as writers
from graph.drop import drop
from graph.server import Connection
from tests.contracts.projected import Graph
from tests.contracts.projection_story import Story


@pytest.fixture
def graph(neo4j_driver: Driver, neo4j_connection: Connection) -> Graph:
    return Graph(neo4j_driver, neo4j_connection.database)


@pytest.fixture
def story(graph: Graph) -> Iterator[Story]:
    told = Story(f"t{uuid.uuid4().hex[:12]}")
    yield told
    drop(graph.driver, graph.database, told.tenant)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows a transaction, so that a small history takes many."""
    monkeypatch.setattr(batches, "AT_ONCE", 0)
    monkeypatch.setattr(writers, "BATCH", 2)
