"""What the graph says of itself is held against the ledger, as its edges are."""

from __future__ import annotations

from typing import LiteralString

import pytest

from graph.projector import project
from graph.repair import Repaired, catch_up
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import BeliefChanges
from queries.memory import Memory
from tests.contracts.projected import TAMPERINGS, Graph, green
from tests.contracts.projection_story import Story, first_chapter, second_chapter

pytest_plugins = ("tests.neo4j", "tests.projections")

FALSE = {
    "a watermark above all": ("p.watermark = p.watermark + 10000000000", "watermark is 2023-11-15"),
    "a watermark of another kind": ("p.watermark = toFloat(p.watermark)", "watermark is 17000000"),
    "an attested clock": ("p.clock = 'attested'", "clock is 'attested', the lake says 'system'"),
    "an attested instant": ("p.attested_to = 7", "attested_to is 7, the lake says None"),
    "another ledger_to": ("p.ledger_to = 1", "ledger_to is 1, the lake says"),
    "no epoch": ("p.epoch = null", "epoch is None"),
    "no generation": ("p.generation = null", "generation is None"),
    "readers refused for ever": ("p.below = true", "readers are refused, and nobody is at work"),
    "no snapshots": ("p.snapshots = 'none'", "snapshots is 'none'"),
    "snapshots in a list": ("p.snapshots = '[1]'", "snapshots is '[1]'"),
    "a snapshot in a list": ("p.snapshots = '{\"beliefs\": [1]}'", 'snapshots is \'{"beliefs"'),
    "another batch": ("p.batch = 'other'", "batch is 'other', the lake says"),
}


def published(graph: Graph, story: Story) -> None:
    """Both chapters, projected, verified, published."""
    second_chapter(story, first_chapter(story))
    graph.project(story)
    assert graph.publish(story, story.clock(), green(graph, story)) is not None


def test_what_is_false_of_a_projection_is_named_and_mended(graph: Graph, story: Story) -> None:
    published(graph, story)
    before = graph.state(story)
    for name, (change, said) in FALSE.items():
        graph.ask(f"MATCH (p:Projection {{tenant: $t}}) SET {change}", t=story.tenant)
        found = graph.verify_last(story)
        assert [said in one.where for one in found.differences] == [True], name
        assert graph.mend(story).differences == ()
        verified = graph.verify_last(story)
        assert verified.equal, name
        graph.publish(story, story.clock(), verified)
        after = graph.state(story)
        assert (after.position, after.watermark, after.digest, after.odd, after.below) == (
            before.position, before.watermark, before.digest, (), False,
        ), name  # fmt: skip
    graph.ask("MATCH (p:Projection {tenant: $t}) SET p.ledger_to = 1", t=story.tenant)
    assert not graph.verify(story).equal


def test_snapshots_that_are_none_of_the_published_state_are_told_anew(
    graph: Graph, story: Story
) -> None:
    published(graph, story)
    told: LiteralString = "MATCH (p:Projection {tenant: $t}) RETURN p.snapshots"
    before = graph.ask(told, t=story.tenant)
    false = "MATCH (p:Projection {tenant: $t}) SET p.snapshots = '{\"beliefs\": 7}'"
    graph.ask(false, t=story.tenant)
    graph.publish(story, story.clock(), green(graph, story))
    assert graph.ask(told, t=story.tenant) == before


@pytest.mark.parametrize("change", ["DELETE p", "REMOVE p.position"])
def test_a_lost_position_is_no_other_projector_and_nothing_to_verify_is_no_proof(
    graph: Graph, story: Story, change: str
) -> None:
    published(graph, story)
    graph.ask(f"MATCH (p:Projection {{tenant: $t}}) {change}", t=story.tenant)
    assert not graph.verify(story).equal
    assert isinstance(catch_up(story.ledger, graph.driver, graph.database, story.tenant), Repaired)
    green(graph, story)


def test_a_tenant_that_the_graph_does_not_hold_differs_from_what_was_published(
    graph: Graph, story: Story
) -> None:
    published(graph, story)
    graph.ask("MATCH (n {tenant: $t}) DETACH DELETE n", t=story.tenant)
    (difference,) = graph.verify(story).differences
    assert difference.where == f"(:Projection {story.tenant})"


def test_a_proof_that_cannot_be_read_is_none(graph: Graph, story: Story) -> None:
    published(graph, story)
    digest = graph.state(story).digest
    for change in (
        "d.buckets = null", "d.buckets = ['x']", "d.position = null", "d.position = 1",
        "d.buckets = d.buckets[1..] + ['f']", "d.digest = null",
        "d.form = null", "d.form = 1",
    ):  # fmt: skip
        graph.ask(f"MATCH (d:ProjectionProof {{tenant: $t}}) SET {change}", t=story.tenant)
        found = graph.verify_last(story)
        assert (found.equal, found.entities, found.digest) == (True, None, digest), change
    assert graph.verify_last(story).entities == 0


def test_another_lake_that_knows_the_position_is_told_by_its_batch(
    graph: Graph, story: Story
) -> None:
    """As after a lake was restored from an older copy, and went on."""
    published(graph, story)
    other = Story(story.tenant)
    second_chapter(other, first_chapter(other))
    other.hear("e4")
    other.believe(BeliefChanges(opened=(other.belief("e4", "zone:C", "offset", "1"),)))
    with pytest.raises(IntegrityError, match="position 8 of another lake"):
        project(other.ledger, graph.driver, graph.database, story.tenant)
    assert not graph.verify_last(other).equal
    graph.mend(other)
    green(graph, other)
    graph.project(other)


def test_answers_say_that_the_graph_differs_until_it_was_found_equal_again(
    graph: Graph, story: Story
) -> None:
    published(graph, story)
    memory = Memory(graph.driver, graph.database)

    def notes() -> tuple[str, ...]:
        view = memory.view(story.tenant, clearance=3)
        asked, told = view.basis.notes(), view.beliefs("zone:A").basis.notes()
        assert asked == told
        return told

    graph.ask(TAMPERINGS["added property"][0], t=story.tenant)
    assert not notes()
    assert not graph.verify(story).equal
    (note,) = notes()
    assert "found to differ" in note and f"verify {story.tenant}" in note
    graph.mend(story)
    assert notes()
    green(graph, story)
    assert not notes()
