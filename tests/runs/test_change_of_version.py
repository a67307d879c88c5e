"""A home goes from one Neo4j to another and back: its graph is made again, and answers the same.

Run by `make test-servers`: it starts servers of both versions, which takes long.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from graph import schema, server
from graph import state as states
from graph.projector import project
from graph.publish import publish
from graph.session import open_driver, server_version
from graph.verify import verify
from tests.contracts.projection_story import Story, first_chapter, second_chapter
from tests.neo4j import own_servers

pytestmark = [own_servers, pytest.mark.timeout(900)]

Shown = tuple[tuple[int, int], str, int | None]
"""The server's version, the graph's digest, its watermark."""


def _line(story: Story, environ: dict[str, str], asked: str | None) -> tuple[Shown, list[str]]:
    """Start the server, project what is not there, prove, publish, stop."""
    said: list[str] = []
    connection = server.up(environ, memory="512m", neo4j=asked, progress=said.append)
    try:
        with open_driver(connection, warn=True) as driver:
            schema.ensure(driver, connection.database)
            began_at = story.ledger.commits(story.tenant)[-1].recorded_at
            project(story.ledger, driver, connection.database, story.tenant)
            verified = verify(story.ledger, driver, connection.database, story.tenant)
            assert verified.equal
            publish(
                story.ledger, driver, connection.database, story.tenant,
                began_at=began_at, verified=verified,
            )  # fmt: skip
            state = states.read(driver, connection.database, story.tenant)
            assert state is not None
            return (server_version(driver), verified.digest, state.watermark), said
    finally:
        server.down(environ)


def test_a_home_changes_its_neo4j_and_the_graph_comes_back(tmp_path: Path) -> None:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    environ = kept | {"BELIEFGRAPH_HOME": str(tmp_path)}
    story = Story("acme")
    second_chapter(story, first_chapter(story))
    found = []
    for asked in (None, "5.26", "2026.09"):
        shown, said = _line(story, environ, asked)
        found.append((shown, any("lake" in sentence for sentence in said)))
    versions = [shown[0] for shown, _ in found]
    assert versions == [(2026, 9), (5, 26), (2026, 9)]
    assert [made_again for _, made_again in found] == [False, True, True]
    assert len({shown[1:] for shown, _ in found}) == 1
    assert not any((tmp_path / "neo4j").glob("data.*"))
