"""The whole graph is made anew beside the one that answers: the same edges, or nothing happened.

A real server, a real bulk import and a real swap for the promise (`make test-servers`); files and
processes that stand in for them where only the order of things is judged.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from neo4j import Driver
from neo4j.exceptions import ServiceUnavailable

from graph import schema, server
from graph import state as states
from graph.comparison import Difference, Kind, Side
from graph.lake_rows import lake_rows
from graph.marks import differing
from graph.offline import bulk_import, workshop
from graph.offline import rebuild as offline
from graph.offline.csv_table import Table
from graph.offline.export import Exported, export
from graph.offline.plan import plan
from graph.projector import project
from graph.publish import publish
from graph.schema import VERSION
from graph.server import Connection, lifecycle
from graph.server.admin import Tool
from graph.server.layout import Choices, Layout
from graph.server.release import RELEASES
from graph.session import connected, open_driver
from graph.state import State
from graph.verify import Verified, verify
from lakehouse.memory import MemoryLedger
from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from lakehouse.model.ledger import BeliefChanges, Stage
from lakehouse.stamping import system_clock
from tests.contracts.projection_story import Story, first_chapter, second_chapter
from tests.neo4j import SERIES, own_servers

Environ = dict[str, str]

ODD = (
    "", " ", '"', '""', 'say "hi"', "two\nlines", "cr\r\nlf", "lone\rcr", "back\\slash", 'end\\"',
    "a,b;c|d", "tab\there", "ümläut 😀", "null", "\\N", "'single'", "\ufeffmark", "\x1funit",
    "\uffffend", "nul\x00",
    "long " + "x" * 5_000_000,
)  # fmt: skip


def _environ(home: Path, **more: str) -> Environ:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NEO4J_")}
    return kept | {"BELIEFGRAPH_HOME": str(home)} | more


@pytest.fixture(scope="module")
def story() -> Story:
    """Two tenants in one ledger; one of them says what is hard to write down."""
    told, other = Story("acme"), Story("beta")
    other.ledger = told.ledger
    second_chapter(told, first_chapter(told))
    first_chapter(other, attested=True)
    tags = ("signed", "öffentlich", "", " a,b;c|d ", 'say "hi"', "\x1f", "two\nlines")
    told.hear("odd", tags=tags, who="", location="odd\n.jsonl:1")
    told.hear("bare", tags=(), who=None)
    told.hear("one empty tag", tags=("",))
    opened = tuple(
        told.belief(("odd", "bare", "one empty tag")[at % 3], f"odd:{at}", "said", value)
        for at, value in enumerate(ODD)
    )
    told.believe(BeliefChanges(opened=opened))
    return told


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, story: Story) -> Iterator[Environ]:
    """A home whose server holds the story, published."""
    environ = _environ(tmp_path_factory.mktemp("home"))
    try:
        connection = server.up(environ, memory="512m", neo4j=os.environ.get(SERIES))
        with open_driver(connection) as driver:
            schema.ensure(driver, connection.database)
            for tenant in story.ledger.tenants():
                _line(story, driver, connection.database, tenant)
        yield environ
    finally:
        server.down(environ)


def _line(story: Story, driver: Driver, database: str, tenant: str) -> None:
    began_at = system_clock()
    project(story.ledger, driver, database, tenant)
    verified = verify(story.ledger, driver, database, tenant)
    publish(story.ledger, driver, database, tenant, began_at=began_at, verified=verified)


def _shown(story: Story, environ: Environ) -> dict[str, tuple[str, int | None]]:
    """Digest of what is there, proved, and watermark, by tenant."""
    connection = server.connection_from(environ)
    with open_driver(connection) as driver:
        found = {}
        for tenant in story.ledger.tenants():
            verified = verify(story.ledger, driver, connection.database, tenant)
            assert verified.equal, verified.differences[:3]
            state = states.read(driver, connection.database, tenant)
            assert state is not None and state.digest == verified.digest
            found[tenant] = (verified.digest, state.watermark)
        return found


@own_servers
@pytest.mark.timeout(900)
def test_all_tenants_come_back_edge_for_edge_while_the_old_graph_answers(
    home: Environ, story: Story
) -> None:
    before = _shown(story, home)
    connection = server.connection_from(home)
    said: list[str] = []
    generations: list[tuple[str, int]] = []
    over = threading.Event()

    def read() -> None:
        with open_driver(connection) as driver:  # One driver, as a service has, for all of it.
            while not over.is_set():
                try:
                    state = states.read(driver, connection.database, "acme")
                except ServiceUnavailable:  # The restart: longer than the driver tries again.
                    continue
                assert state is not None and state.watermark == before["acme"][1]
                generations.append((said[-1] if said else "", state.generation))
                time.sleep(0.1)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        done = offline.rebuild(story.ledger, home, progress=said.append)
        over.wait(1)
    finally:
        over.set()
        reader.join(60)
    assert done.tenants == ("acme", "beta") and done.edges > 40
    assert _shown(story, home) == before
    assert server.connection_from(home) == connection
    old = {step for step, generation in generations if generation == 1}
    assert any(step.startswith("importing") for step in old)
    assert any(step.startswith("comparing") for step in old)
    assert generations[-1][1] == 2
    assert [generation for _, generation in generations] == sorted(g for _, g in generations)
    assert story.ledger.publications("acme")[-1].epoch == 1
    layout = Layout(server.home_from(home))
    assert not layout.workshop.exists() and not layout.replaced.exists()


class Stopped(BaseException):
    """Ctrl-C, or what comes to the same."""


def _stop(*_: object, **__: object) -> None:
    raise Stopped


@own_servers
def test_what_is_stopped_before_the_swap_leaves_the_old_graph_answering(
    home: Environ, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = server.connection_from(home)
    monkeypatch.setattr(bulk_import, "run", _stop)
    with pytest.raises(Stopped):
        offline.rebuild(story.ledger, home, progress=print)
    assert server.connection_from(home) == connection
    assert not Layout(server.home_from(home)).workshop.exists()


@own_servers
def test_tenants_that_the_lake_does_not_know_are_not_lost(home: Environ, story: Story) -> None:
    connection = server.connection_from(home)
    with open_driver(connection) as driver:
        states.place(driver, connection.database, _state("stranger"))
        try:
            with pytest.raises(ConflictError) as caught:
                offline.rebuild(story.ledger, home, progress=print)
            assert "stranger" in caught.value.message and "acme" not in caught.value.message
        finally:
            driver.execute_query("MATCH (p:Projection {tenant: 'stranger'}) DELETE p")


@own_servers
@pytest.mark.timeout(900)
def test_what_is_published_meanwhile_is_not_swapped_away(home: Environ, story: Story) -> None:
    """A tenant believed further while it is proved, one erased from, a new one, and a late look."""
    late, erased = Story("late"), Story("beta", told=1_000)
    late.ledger = erased.ledger = story.ledger
    supported = {box.belief_id for box in story.ledger.supports("beta")}
    told = (one.belief_id for one in story.ledger.beliefs("beta"))
    gone = next(one for one in told if one not in supported)
    connection = server.connection_from(home)

    def further(told: Story, episode: str) -> None:
        told.hear(episode)
        told.believe(BeliefChanges(opened=(told.belief(episode, episode, "said", "more"),)))
        with open_driver(connection) as driver:
            _line(story, driver, connection.database, told.tenant)

    def meanwhile(said: str) -> None:
        if said.startswith("comparing"):
            further(story, "while it is proved")
            further(late, "a new tenant")
            erased.hear("an erasure")
            erased.believe(BeliefChanges(removed=(gone,)))
        if said.startswith("restarting"):
            further(story, "behind the last look")

    offline.rebuild(story.ledger, home, progress=meanwhile)
    assert "late" in _shown(story, home)
    assert gone not in {one.belief_id for one in story.ledger.beliefs("beta")}
    with open_driver(connection) as driver:
        for tenant in story.ledger.tenants():
            state = states.read(driver, connection.database, tenant)
            published = story.ledger.publications(tenant)
            newest = story.ledger.commits(tenant, stage=Stage.BELIEVE)[-1]
            assert state is not None and state.position == newest.position == published[-1].position
            assert state.watermark == published[-1].watermark
            assert state.watermark == max(one.watermark for one in published)


def test_a_lake_without_beliefs_makes_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "every", lambda *_: [])
    with pytest.raises(InputError, match="no beliefs"):
        plan(MemoryLedger(), None, "neo4j")  # type: ignore[arg-type]


def _state(tenant: str) -> State:
    return State(
        tenant=tenant, position=9, watermark=None, epoch=1, generation=1, digest="",
        projecting=None, ledger_to=1, clock="system", attested_to=None, schema_version=VERSION,
    )  # fmt: skip


def test_somebody_elses_server_is_not_rebuilt_offline(tmp_path: Path, story: Story) -> None:
    environ = _environ(tmp_path / "none", NEO4J_URI="bolt://localhost:1", NEO4J_PASSWORD="x")
    with pytest.raises(ConfigurationError) as caught:
        offline.rebuild(story.ledger, environ, progress=print)
    assert "bolt://localhost:1" in caught.value.message
    assert "run TENANT --rebuild" in caught.value.remedy
    assert not (tmp_path / "none").exists()


@pytest.fixture
def still(tmp_path: Path) -> tuple[Environ, Layout]:
    """A home that looks as if its server had been started, and is stopped."""
    layout = Layout(tmp_path / "home")
    layout.prepare()
    layout.password.write_text("secret")
    layout.remember(Choices(7687, 256, 256, "2026.09.0"))
    (layout.data / "databases" / "system").mkdir(parents=True)
    (layout.data / "says").write_text("old")
    return _environ(layout.home), layout


def test_what_a_killed_rebuild_left_is_removed_by_the_next(
    still: tuple[Environ, Layout],
) -> None:
    environ, layout = still
    left = Layout(layout.workshop)
    left.root.mkdir(parents=True)
    (left.root / "half made").touch()
    arguments = f"@{left.root / '.arguments'}"
    with subprocess.Popen([sys.executable, "-c", "input()", arguments], stdin=-1) as importing:
        with workshop.opened(environ, progress=print) as made:
            importing.wait(10)
            assert not (left.root / "half made").exists()
            assert made.layout.password.read_text() == "secret"
            assert made.release.version == "2026.09.0"
        assert not layout.workshop.exists() and layout.lib.exists()


def test_down_stops_what_a_killed_rebuild_left_running(still: tuple[Environ, Layout]) -> None:
    environ, layout = still
    left = Layout(layout.workshop)
    marks = (f"--home-dir={left.root}", f"--config-dir={left.conf}")
    with subprocess.Popen([sys.executable, "-c", "input()", *marks], stdin=-1) as inner:
        assert server.down(environ) is True
        inner.wait(10)
    assert server.down(environ) is False


def test_two_rebuilds_at_once_are_one(still: tuple[Environ, Layout]) -> None:
    environ, _ = still
    with (
        workshop.opened(environ, progress=print),
        pytest.raises(ConflictError, match="rebuilding the graph"),
        workshop.opened(environ, progress=print),
    ):
        pass


def test_a_store_that_does_not_come_up_is_taken_back(
    still: tuple[Environ, Layout], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, layout = still
    made = tmp_path / "made"
    (made / "databases" / "system").mkdir(parents=True)
    (made / "says").write_text("new")
    started: list[str] = []

    def start(layout: Layout, *_: object) -> None:
        started.append((layout.data / "says").read_text())
        if len(started) == 1:
            raise UnavailableError("no memory")

    monkeypatch.setattr(lifecycle.starting, "start", start)
    with pytest.raises(UnavailableError, match="no memory"):
        server.replace_store(environ, made)
    assert started == ["new", "old"] and not layout.replaced.exists()


def test_ctrl_c_while_the_old_server_stops_starts_it_again(
    still: tuple[Environ, Layout], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, layout = still
    (tmp_path / "made").mkdir()
    done: list[str] = []

    def stop(*_: object, **__: object) -> None:
        done.append("stop")
        if len(done) == 1:
            raise KeyboardInterrupt

    def start(layout: Layout, *_: object) -> None:
        done.append((layout.data / "says").read_text())

    monkeypatch.setattr(lifecycle.mark, "find", lambda layout: psutil.Process())
    monkeypatch.setattr(lifecycle.processes, "stop", stop)
    monkeypatch.setattr(lifecycle.starting, "start", start)
    with pytest.raises(KeyboardInterrupt):
        server.replace_store(environ, tmp_path / "made")
    assert done == ["stop", "stop", "old"] and not layout.replaced.exists()


def test_a_disk_without_room_for_the_new_store_is_told_first(
    still: tuple[Environ, Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    environ, _ = still
    full = type("Usage", (), {"free": 5_000_000})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    written = Exported((), "\x1f", 0, 9, 9, size=4_000_000, sides={})
    with workshop.opened(environ, progress=print) as shop, pytest.raises(UnavailableError) as told:
        offline._import(shop, written, print)
    assert "5 MB left" in told.value.message and "8 MB" in told.value.message


def test_a_second_server_that_is_lost_is_a_clear_word(neo4j_connection: Connection) -> None:
    with (
        pytest.raises(UnavailableError, match="second server, on the new store, was lost: reset"),
        connected(neo4j_connection, offline._second_lost),
    ):
        raise ServiceUnavailable("reset\nby peer")


@pytest.mark.parametrize(
    ("said", "error", "message"),
    [
        ("java.io.IOException: No space left on device", UnavailableError, "its disk is full"),
        ("java.lang.OutOfMemoryError: Java heap space", UnavailableError, "its memory ran out"),
        ("Command Failed\n----\nduplicate id 'x'", IntegrityError, "duplicate id 'x'"),
    ],
)
def test_an_import_that_fails_says_why(
    tmp_path: Path, said: str, error: type[Exception], message: str
) -> None:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\nprintf '%s\\n' \"{said}\"\nexit 70\n")
    java.chmod(0o755)
    tool = Tool(str(java), RELEASES["5.26"], tmp_path, {})
    with pytest.raises(error, match=message) as caught:
        bulk_import.run(tool, Exported((), "|", 0, 0, 0, 0, {}), heap_mb=256, off_heap_mb=256)
    assert "not touched" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["java"], "nobody reads its arguments"


def test_an_import_that_differs_from_the_lake_is_refused(
    monkeypatch: pytest.MonkeyPatch, story: Story
) -> None:
    found = Verified(
        tenant="acme", position=1, epoch=1, generation=1, edges=1, nodes=1,
        differences=(Difference(Kind.ALTERED, "b1", "(a)-[:BELIEF]->(b)"),),
        digest="1", lake_digest="2",
    )  # fmt: skip
    mended: list[object] = []
    monkeypatch.setattr(offline, "verify", lambda *_: found)
    monkeypatch.setattr(offline, "repair", lambda *_, **__: mended.append(1))
    with pytest.raises(IntegrityError) as caught:
        offline._verified(story.ledger, None, "neo4j", "acme", print)  # type: ignore[arg-type]
    assert mended
    assert "(a)-[:BELIEF]->(b)" in caught.value.message and "not touched" in caught.value.remedy


def test_lists_are_parted_by_what_none_holds_and_every_row_is_marked_once(
    story: Story, tmp_path: Path
) -> None:
    said: list[str] = []
    commits = story.ledger.commits("acme", stage=Stage.BELIEVE)
    at = replace(_state("acme"), position=commits[-1].position)
    done = export(story.ledger, [at], tmp_path, progress=said.append)
    assert done.delimiter == "\x1e" and "U+001F" in said[0]
    lake = Side().take(lake_rows(story.ledger, "acme", at.position))
    side = done.sides["acme"]
    assert not differing(side.marks, lake.marks) and side.digest.buckets == lake.digest.buckets
    assert (side.edges, side.nodes) == (lake.edges, lake.nodes) == (done.edges, done.nodes)
    assert done.longest > 5_000_000
    assert {source.name for source in done.sources if source.multiline} == {
        "ATTRIBUTE",
        "Episode",
        "Value",
    }


def test_a_column_of_two_types_is_refused(tmp_path: Path) -> None:
    table = Table(tmp_path / "X.csv", ("a", "b"), "|")
    table.add([[1, None], ["text", None]])
    with pytest.raises(IntegrityError, match="column a of X"):
        table.close()
    table = Table(tmp_path / "Y.csv", ("a", "b", "c"), "|")
    table.add([[True, None, [], "left out"]])
    table.close()
    assert table.header().read_text() == "a:boolean,b:IGNORE,c:string[]\n"
    assert table.path.read_text() == "true,,\n"
