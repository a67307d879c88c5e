"""A repair writes exactly the difference, whatever is there, however often it is stopped."""

from __future__ import annotations

from typing import Any, LiteralString

import pytest

from graph import drop as dropping
from graph import reading, schema
from graph import repair as repairing
from graph import state as states
from graph.projector import Projected, RepairNeeded, project
from graph.repair import Repaired, catch_up, repair
from lakehouse.model.beliefs import identity
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.model.ledger import BeliefChanges
from tests.contracts.projected import TAMPERINGS, Graph, Stopped, green
from tests.contracts.projection_story import Story, first_chapter, second_chapter

pytest_plugins = ("tests.neo4j", "tests.projections")

ALL_AT_ONCE = (
    "deleted link", "doubled", "doubled mention", "foreign", "foreign confirmation",
    "foreign node", "moved", "value rewritten", "type rewritten", "label taken",
    "episode rewritten", "added property", "from outside",
)  # fmt: skip
"""Tamperings that leave something for the next one to find."""


def published(graph: Graph, story: Story) -> str:
    """Both chapters, projected, verified, published; the digest."""
    second_chapter(story, first_chapter(story))
    graph.project(story)
    verified = green(graph, story)
    assert graph.publish(story, story.clock(), verified) is not None
    return verified.digest


def tamper(graph: Graph, story: Story) -> None:
    """One of nearly everything that may be wrong."""
    graph.ask("MATCH (n:Entity {tenant: $t + 'x'}) DETACH DELETE n", t=story.tenant)
    for name in ALL_AT_ONCE:
        graph.ask(TAMPERINGS[name][0], t=story.tenant)


def catching_up(graph: Graph, story: Story) -> Projected | Repaired:
    return catch_up(story.ledger, graph.driver, graph.database, story.tenant)


@pytest.mark.parametrize("at_once", [5_000, 0])
def test_everything_wrong_is_mended_and_the_watermark_stays(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    digest = published(graph, story)
    before = graph.state(story)
    tamper(graph, story)
    monkeypatch.setattr(repairing, "AT_ONCE", at_once)
    done = graph.mend(story)
    assert done.refused is (at_once == 0)
    assert done.below >= len(ALL_AT_ONCE)
    after = graph.state(story)
    assert (after.watermark, after.generation) == (before.watermark, before.generation)
    assert after.epoch == before.epoch + 2
    assert after.projecting is None
    assert green(graph, story).digest == digest
    assert graph.mend(story).differences == ()
    assert graph.state(story).epoch == after.epoch, "nothing to mend, nothing is said to move"


def test_what_was_projected_right_before_a_repair_began_stays(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks at the ledger when nobody projects any more: else it would take it for foreign."""
    opened = first_chapter(story)
    graph.project(story)
    begin = states.begin

    def late(*given: Any) -> states.State:
        monkeypatch.setattr(states, "begin", begin)
        second_chapter(story, opened)
        graph.project(story)
        assert graph.publish(story, story.clock(), green(graph, story)) is not None
        return begin(*given)

    monkeypatch.setattr(states, "begin", late)
    done, newest = graph.mend(story), story.ledger.commits(story.tenant)[-1]
    assert done.differences == ()
    assert graph.state(story).position == done.position == newest.position
    assert green(graph, story)


def test_readers_are_told_before_a_commit_that_they_could_see_half_of(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit is applied edge by edge: who reads meanwhile sees some, and the epoch of before."""
    published(graph, story)
    seen: dict[str, tuple[bool, list[list[object]]]] = {}

    def look(name: str) -> None:
        below = graph.ask("MATCH (p:Projection {tenant: $t}) RETURN p.below", t=story.tenant)
        links = graph.ask("MATCH ({tenant: $t})-[r:BELIEF]->() RETURN count(r)", t=story.tenant)
        seen[name] = (bool(below[0][0]), links)

    for name in ("bump", "advance"):
        step = getattr(states, name)

        def watched(*given: object, step: Any = step, name: str = name) -> object:
            if name == "advance":
                look("before it may be read")
            done = step(*given)
            look(f"after {name}")
            return done

        monkeypatch.setattr(states, name, watched)
    graph.ask(TAMPERINGS["deleted link"][0], t=story.tenant)
    assert graph.mend(story).refused is False
    assert seen == {
        "after bump": (True, [[0]]),
        "before it may be read": (True, [[2]]),
        "after advance": (False, [[2]]),
    }


@pytest.mark.usefixtures("small_batches")
def test_a_repair_stopped_at_any_step_is_taken_up(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = published(graph, story)
    watermark = graph.state(story).watermark
    monkeypatch.setattr(repairing, "AT_ONCE", 0)
    for step in range(1, 12):
        tamper(graph, story)
        with pytest.raises(Stopped):
            graph.mend(story, stop_at=step)
        left = graph.state(story)
        assert (left.projecting, left.watermark) == (states.REPAIRING, watermark)
        with pytest.raises(ConflictError, match=r"repair of .* is not finished"):
            graph.verify(story)
        with pytest.raises(RepairNeeded, match="left unfinished"):
            project(story.ledger, graph.driver, graph.database, story.tenant)
        assert isinstance(catching_up(graph, story), Repaired)
        assert green(graph, story).digest == digest


def test_what_lies_above_the_watermark_is_written_without_anybody_noticing(
    graph: Graph, story: Story
) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.publish(story, story.clock(), green(graph, story))
    before = graph.state(story)
    second_chapter(story, opened)
    done = graph.mend(story)
    assert (done.edges_closed, done.below) == (4, 0)
    after = graph.state(story)
    assert (after.epoch, after.watermark) == (before.epoch, before.watermark)
    assert after.position == done.position > before.position
    digest = green(graph, story).digest
    graph.remake(story)
    assert green(graph, story).digest == digest


@pytest.mark.usefixtures("small_batches")
def test_an_unfinished_projection_is_repaired_too(graph: Graph, story: Story) -> None:
    second_chapter(story, first_chapter(story))
    with pytest.raises(Stopped):
        graph.project(story, stop_at=6)
    graph.mend(story)
    digest = green(graph, story).digest
    graph.remake(story)
    assert green(graph, story).digest == digest


def test_an_erasure_is_written_in_place(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.publish(story, story.clock(), green(graph, story))
    before = graph.state(story)
    gone = opened[0]
    story.hear("erase")
    instead = gone._replace(belief_id=identity(gone.belief_id, "erased"), object=None)
    story.believe(
        BeliefChanges(
            opened=(instead,),
            removed=(gone.belief_id,),
            supports_removed=(identity(gone.belief_id, "e2"),),
        )
    )
    with pytest.raises(RepairNeeded, match="erasure"):
        project(story.ledger, graph.driver, graph.database, story.tenant)
    done = catching_up(graph, story)
    assert isinstance(done, Repaired)
    assert (done.refused, done.edges_opened) == (False, 1)
    after = graph.state(story)
    assert (after.watermark, after.generation) == (before.watermark, before.generation)
    assert after.epoch == before.epoch + 2
    left = "MATCH ({id: $t + '/zone:A'})-[:ATTRIBUTE]->(v) RETURN v.text"
    assert graph.ask(left, t=story.tenant) == [["<erased>"]]
    digest = green(graph, story).digest
    graph.remake(story)
    assert green(graph, story).digest == digest


def test_edges_of_an_older_schema_are_written_again_by_the_next_run(
    graph: Graph, story: Story
) -> None:
    digest = published(graph, story)
    graph.ask(
        "MATCH (p:Projection {tenant: $t}) SET p.schema_version = 1 WITH p "
        "MATCH ()-[r:ATTRIBUTE|BELIEF {tenant: $t}]->() SET r.landed_at = null, r.old = 1",
        t=story.tenant,
    )
    with pytest.raises(RepairNeeded, match="of schema 1"):
        graph.project(story)
    done = catching_up(graph, story)
    assert isinstance(done, Repaired)
    assert done.edges_opened == 7
    assert green(graph, story).digest == digest
    assert graph.state(story).schema_version == schema.VERSION
    assert isinstance(catching_up(graph, story), Projected)
    graph.ask("MATCH (p:Projection {tenant: $t}) SET p.schema_version = 0", t=story.tenant)
    assert graph.remake(story).edges_opened == 7, "nothing older is left after a drop"


def test_a_graph_that_was_emptied_is_loaded_and_published_anew(graph: Graph, story: Story) -> None:
    digest = published(graph, story)
    before = graph.state(story)
    graph.ask("MATCH (n {tenant: $t}) WHERE NOT n:Projection DETACH DELETE n", t=story.tenant)
    loaded = repair(story.ledger, graph.driver, graph.database, story.tenant)
    assert isinstance(loaded, Projected)
    assert loaded.edges_opened == 7
    after = graph.state(story)
    assert (after.watermark, after.generation) == (None, before.generation + 1)
    assert green(graph, story).digest == digest


def test_a_lake_that_knows_nothing_of_the_tenant_mends_nothing(graph: Graph, story: Story) -> None:
    published(graph, story)
    with pytest.raises(IntegrityError, match="holds no beliefs"):
        graph.mend(Story(story.tenant))
    assert green(graph, story).edges == 18
    empty = Story(f"{story.tenant}-empty")
    assert graph.mend(empty).position == 0


def test_an_edge_that_lost_its_nodes_label_is_found(graph: Graph, story: Story) -> None:
    """It is seen from neither end, and its id is taken all the same."""
    digest = published(graph, story)
    graph.ask("MATCH (n {id: $t + '/zone:A'}) REMOVE n:Entity", t=story.tenant)
    assert not graph.verify(story).equal
    graph.mend(story)
    assert green(graph, story).digest == digest
    graph.ask("MATCH (n {id: $t + '/zone:A'}) WHERE NOT n:Entity DETACH DELETE n", t=story.tenant)
    assert green(graph, story).digest == digest


@pytest.mark.parametrize(
    ("constraint", "twice"),
    [
        ("attribute_id", "MATCH (s {tenant: $t})-[r:ATTRIBUTE]->(o) WITH s, r, o LIMIT 1 "
         "CREATE (s)-[c:ATTRIBUTE]->(o) SET c = properties(r)"),
        ("entity_id", "MATCH (n:Entity {tenant: $t})-[r:ATTRIBUTE]->(o) WITH n, r, o LIMIT 1 "
         "CREATE (m:Entity)-[c:ATTRIBUTE]->(o) SET m = properties(n), c = properties(r) DELETE r"),
    ],
)  # fmt: skip
def test_what_is_there_twice_is_mended_though_its_constraint_is_gone(
    graph: Graph, story: Story, constraint: str, twice: LiteralString
) -> None:
    digest = published(graph, story)
    graph.ask(f"DROP CONSTRAINT {constraint}")
    try:
        if constraint == "entity_id":
            graph.ask("DROP CONSTRAINT attribute_id")
        graph.ask(twice, t=story.tenant)
        with pytest.raises(schema.NotUniqueError, match=constraint):
            schema.ensure(graph.driver, graph.database)
        graph.mend(story)
    finally:
        schema.ensure(graph.driver, graph.database)
    assert green(graph, story).digest == digest


def test_ranges_miss_no_entity_whatever_its_letters(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    story.hear("e1")
    names = ("\uffff", "\U0001f600", "\U0001f600/\x00", "'\"\\", "z")
    story.believe(
        BeliefChanges(opened=tuple(story.belief("e1", one, "offset", one) for one in names))
    )
    graph.project(story)
    for nodes, edges in ((1, 1), (2, 2), (9, 1), (9, 4), (9, 7)):
        monkeypatch.setattr(reading, "NODES", nodes)
        monkeypatch.setattr(reading, "EDGES", edges)
        assert green(graph, story).edges == 2 * len(names)


def test_what_another_repair_loaded_while_this_one_dropped_is_made_again(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both found nothing: the drop of one removes what the other has loaded at that position."""
    digest = published(graph, story)
    graph.ask("MATCH (n:Entity|Episode|Value {tenant: $t}) DETACH DELETE n", t=story.tenant)
    asked = dropping.statement

    def late(name: str) -> LiteralString:
        if name == "drop_edges_of_entities":
            monkeypatch.setattr(dropping, "statement", asked)
            repair(story.ledger, graph.driver, graph.database, story.tenant)
        return asked(name)

    monkeypatch.setattr(dropping, "statement", late)
    repair(story.ledger, graph.driver, graph.database, story.tenant)
    assert green(graph, story).digest == digest


@pytest.mark.parametrize(
    ("made", "said", "remedy"),
    [
        ("CREATE INDEX mine FOR (n:ProjectionLane) ON (n.id)", "somebody else's", "DROP INDEX"),
        (
            "CREATE CONSTRAINT lane_id FOR (n:ProjectionLane) REQUIRE n.name IS UNIQUE",
            "missing lane_id",
            "what is called lane_id: drop it",
        ),
    ],
)
def test_what_stands_in_the_way_of_a_constraint_is_named_with_a_way_out(
    graph: Graph, made: LiteralString, said: str, remedy: str
) -> None:
    try:
        graph.ask("DROP CONSTRAINT lane_id")
        graph.ask(made)
        with pytest.raises(IntegrityError, match=said) as stopped:
            schema.ensure(graph.driver, graph.database)
        assert remedy in stopped.value.remedy
    finally:
        graph.ask("DROP INDEX mine IF EXISTS")
        graph.ask("DROP CONSTRAINT lane_id IF EXISTS")
        schema.ensure(graph.driver, graph.database)
