"""The crash table of the projection: killed, doubled, overtaken, cut off, and read meanwhile.

Projector and repair stopped after each of their transactions are in tests/contracts, Neo4j killed
in the middle where a server of its own runs (test_managed_server.py); here are the accidents that
need a process or a thread of their own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest
from neo4j.exceptions import ServiceUnavailable

from graph import repair as repairing
from graph.projector import Projected, project
from graph.repair import catch_up, repair
from graph.server import Connection
from graph.session import connected
from lakehouse.model.beliefs import Belief, identity
from lakehouse.model.errors import ConflictError, UnavailableError
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges
from queries.answers import Answer
from queries.memory import Memory
from tests.contracts.projected import Graph, green
from tests.contracts.projection_story import START, Story, first_chapter, second_chapter

pytest_plugins = ("tests.neo4j", "tests.projections")

KILLED = """
import os, signal, sys
from graph import batch as batches
from graph import writer as writers
from graph.projector import project
from graph.server import Connection
from graph.session import open_driver
from tests.contracts.projection_story import Story, first_chapter, second_chapter

writers.BATCH, batches.AT_ONCE = 2, int(sys.argv[3])
tenant, stop_at = sys.argv[1], int(sys.argv[2])
story, heard = Story(tenant), []
second_chapter(story, first_chapter(story))

def tell(text):
    heard.append(text)
    if len(heard) == stop_at:
        os.kill(os.getpid(), signal.SIGKILL)

found = dict(uri=os.environ["U"], username=os.environ["N"], password=os.environ["P"])
connection = Connection(**found, database=os.environ["D"], managed=False)
project(story.ledger, open_driver(connection), connection.database, tenant, progress=tell)
"""


def start(connection: Connection, tenant: str, stop_at: int, at_once: int) -> int:
    """A projector of its own process, killed at that step; its exit code.

    Up to `at_once` changes are one transaction.
    """
    environ = {
        **os.environ,
        "U": connection.uri,
        "N": connection.username,
        "P": connection.password,
        "D": connection.database,
    }
    command = [sys.executable, "-c", KILLED, tenant, str(stop_at), str(at_once)]
    return subprocess.run(command, env=environ, check=False, timeout=120).returncode


@pytest.mark.parametrize(("stop_at", "at_once"), [(1, 0), (8, 0), (14, 0), (6, 2_000)])
def test_a_projector_killed_with_signal_9_leaves_what_the_next_one_finishes(
    graph: Graph, story: Story, neo4j_connection: Connection, stop_at: int, at_once: int
) -> None:
    second_chapter(story, first_chapter(story))
    assert start(neo4j_connection, story.tenant, stop_at, at_once) == -signal.SIGKILL
    assert graph.state(story).projecting == story.ledger.commits(story.tenant)[-1].position
    done = project(story.ledger, graph.driver, graph.database, story.tenant)
    assert done.resumed
    digest = green(graph, story).digest
    graph.remake(story)
    assert green(graph, story).digest == digest


def test_the_same_batch_twice_changes_nothing(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    first = graph.state(story)
    second_chapter(story, opened)
    graph.project(story)
    digest = green(graph, story).digest
    graph.ask(
        "MATCH (p:Projection {tenant: $t}) "
        "SET p.projecting = p.position, p.position = $position, p.batch = $batch",
        t=story.tenant,
        position=first.position,
        batch=first.batch,
    )
    assert project(story.ledger, graph.driver, graph.database, story.tenant).resumed
    assert green(graph, story).digest == digest


@pytest.mark.usefixtures("small_batches")
def test_of_two_projectors_the_later_goes_on_and_the_earlier_stops_with_a_word(
    graph: Graph, story: Story
) -> None:
    second_chapter(story, first_chapter(story))
    half, over = threading.Event(), threading.Event()

    def slowly() -> Projected:
        heard: list[str] = []

        def tell(text: str) -> None:
            heard.append(text)
            if len(heard) == 6:
                half.set()
                assert over.wait(60)

        return project(story.ledger, graph.driver, graph.database, story.tenant, progress=tell)

    with ThreadPoolExecutor(1) as pool:
        earlier = pool.submit(slowly)
        assert half.wait(60)
        assert project(story.ledger, graph.driver, graph.database, story.tenant).resumed
        over.set()
        with pytest.raises(ConflictError, match="another projector took over"):
            earlier.result(60)
    green(graph, story)


@pytest.mark.usefixtures("small_batches")
def test_projectors_and_repairs_at_once_end_in_one_right_graph(graph: Graph, story: Story) -> None:
    second_chapter(story, first_chapter(story))
    works: list[Callable[..., object]] = [project, repair, catch_up, project]

    def one(work: Callable[..., object]) -> str:
        try:
            work(story.ledger, graph.driver, graph.database, story.tenant)
        except ConflictError as refused:
            return refused.message
        return ""

    with ThreadPoolExecutor(len(works)) as pool:
        told = list(pool.map(one, works))
    assert "" in told, told
    catch_up(story.ledger, graph.driver, graph.database, story.tenant)
    green(graph, story)


def test_a_server_lost_in_the_middle_is_a_clear_word(neo4j_connection: Connection) -> None:
    with (
        pytest.raises(UnavailableError, match="nothing answers as Neo4j"),
        connected(neo4j_connection),
    ):
        raise ServiceUnavailable("connection reset")


VERSIONS = 60
"""Of the dense key."""


def dense_chapter(story: Story) -> list[Belief]:
    """A chain of entities, and one key of many versions."""
    story.hear("e1")
    chain = [
        story.belief("e1", f"n{n}", "in_next", f"n{n + 1}", valid_to=FOREVER) for n in range(4)
    ]
    versions = [
        story.belief("e1", "n0", "offset", str(n), valid_from=START + n, valid_to=START + n + 1)
        for n in range(VERSIONS)
    ]
    supports = tuple(story.support(one, "e1") for one in chain)
    story.believe(BeliefChanges(opened=(*chain, *versions), supports_opened=supports))
    return chain + versions


@dataclass
class Readers:
    """Threads that ask the same questions of one basis over and over."""

    memory: Memory
    tenant: str
    known_at: int
    allowed: dict[str, set[str]] = field(default_factory=dict)
    reads: int = 0
    refused: int = 0
    wrong: list[str] = field(default_factory=list)

    def ask(self) -> dict[str, Answer]:
        """One answer to each question: ordinary, dense, two multi-hop ones."""
        view = self.memory.view(
            self.tenant, valid_at=START + 7, known_at=self.known_at, clearance="restricted"
        )
        return {
            "ordinary": view.beliefs("n0"),
            "dense": view.history("n0", "offset"),
            "hops": view.paths("n0", 3),
            "holders": view.holders("offset", "7", via=[]),
        }

    def allow(self) -> None:
        """What is answered now was believed."""
        for question, answer in self.ask().items():
            self.allowed.setdefault(question, set()).add(answer.digest)

    def during(self, work: Callable[[], object], *, after: bool = True) -> None:
        """Read while `work` is done; every answer must be that of before or of `after`."""
        self.allowed.clear()
        self.allow()
        done, seen = threading.Event(), []

        def loop() -> None:
            while not done.is_set():
                try:
                    seen.extend((q, a.digest) for q, a in self.ask().items())
                except UnavailableError:
                    self.refused += 1

        with ThreadPoolExecutor(2) as pool:
            loops = [pool.submit(loop) for _ in range(2)]
            try:
                work()
            finally:
                done.set()
            for one in loops:
                one.result(60)
        if after:
            self.allow()
        assert seen
        self.reads += len(seen)
        assert [one for one in seen if one[1] not in self.allowed[one[0]]] == []


@pytest.mark.usefixtures("small_batches")
def test_no_reader_sees_a_state_that_was_never_believed(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = dense_chapter(story)
    graph.project(story)
    said = graph.publish(story, story.clock(), green(graph, story))
    assert said is not None
    memory = Memory(graph.driver, graph.database, close=lambda: None)
    readers = Readers(memory, story.tenant, said.watermark)

    story.hear("e2")
    fresh = [story.belief("e2", one.subject, one.predicate, "other") for one in opened[4:]]
    closed = tuple(story.close(one) for one in opened[2:])
    story.believe(BeliefChanges(opened=tuple(fresh), closed=closed))
    readers.during(lambda: graph.project(story), after=False)
    assert readers.refused == 0, "what lies above the watermark refuses nobody"
    verified = green(graph, story)

    def wreck() -> None:
        graph.ask(
            "MATCH (s {id: $t + '/n0'})-[r:ATTRIBUTE]->() "
            "SET r.trust = 0 WITH DISTINCT s MATCH (s)-[r:BELIEF]->() DELETE r",
            t=story.tenant,
        )

    for at_once in (5_000, 0):
        monkeypatch.setattr(repairing, "AT_ONCE", at_once)
        wreck()
        readers.during(lambda: graph.mend(story))
        assert green(graph, story).digest == verified.digest
        assert all(len(digests) == 2 for digests in readers.allowed.values() if at_once)

    monkeypatch.setattr(repairing, "AT_ONCE", 5_000)
    gone = opened[11]
    story.hear("erase")
    instead = gone._replace(
        belief_id=identity(gone.belief_id, "erased"), object=None,
        recorded_to=closed[9].recorded_to, closed_by=closed[9].closed_by, reason=closed[9].reason,
    )  # fmt: skip
    story.believe(BeliefChanges(opened=(instead,), removed=(gone.belief_id,)))
    assert closed[9].belief_id == gone.belief_id
    before = readers.ask()["ordinary"].digest
    readers.during(lambda: catch_up(story.ledger, graph.driver, graph.database, story.tenant))
    assert before not in {readers.ask()["ordinary"].digest}
    readers.during(lambda: graph.mend(story), after=False)
    green(graph, story)
    assert readers.reads > 20
