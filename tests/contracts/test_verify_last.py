"""The last batches are verified at their own cost, and the digest moves exactly with them."""

from __future__ import annotations

import pytest

from graph import proof as proofs
from graph.comparison import Kind
from graph.digest import BUCKETS, Digest, fingerprints
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.model.ledger import BeliefChanges
from tests.contracts.projected import Graph, Stopped, green
from tests.contracts.projection_story import Story, first_chapter, second_chapter, tighten

pytest_plugins = ("tests.neo4j", "tests.projections")


def begun(graph: Graph, story: Story) -> None:
    """Project and verify the first chapter."""
    first_chapter(story)
    graph.project(story)
    first = graph.verify_last(story)
    assert (first.entities, first.equal) == (None, True)
    assert "nothing that is there was found equal before" in first.summary


def test_the_digest_moves_by_what_the_batches_touched(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.verify_last(story)
    second_chapter(story, opened)
    graph.project(story)
    last = graph.verify_last(story)
    assert (last.equal, last.entities, last.edges) == (True, 2, 10)
    assert last.digest == last.lake_digest == green(graph, story).digest
    tighten(story, opened[1])
    graph.project(story)
    marked = graph.verify_last(story)
    assert (marked.equal, marked.entities, marked.why) == (True, 1, "")
    assert marked.digest != last.digest
    assert marked.digest == green(graph, story).digest
    graph.remake(story)
    assert green(graph, story).digest == marked.digest


def test_nothing_new_compares_nothing(graph: Graph, story: Story) -> None:
    begun(graph, story)
    digest = green(graph, story).digest
    again = graph.verify_last(story)
    assert (again.entities, again.edges, again.equal, again.digest) == (0, 0, True, digest)


@pytest.mark.parametrize(
    ("tampering", "kind"),
    [
        ("MATCH ()-[r:ATTRIBUTE {tenant: $t, closed_by: 's3'}]->() SET r.source = 'x'", "altered"),
        ("MATCH ()-[r:CONFIRMS {tenant: $t}]->(:Entity {entity: 'zone:A'}) DELETE r", "missing"),
        (
            "MATCH (s {id: $t + '/zone:A'})-[r:BELIEF]->(o) WITH s, r, o LIMIT 1 "
            "CREATE (s)-[c:ATTRIBUTE]->(o) SET c = r {.*, belief_id: $t}",
            "foreign",
        ),
        ("MATCH (n:Value {tenant: $t, text: '7200'}) SET n.text = '1'", "altered"),
        ("MATCH (n:Episode {id: $t + '/e3'}) SET n.source = 'x'", "altered"),
        ("MATCH (n:Entity {id: $t + '/country:Y'}) SET n.entity = 'x'", "altered"),
    ],
)
def test_what_is_wrong_about_a_touched_entity_is_named(
    graph: Graph, story: Story, tampering: str, kind: str
) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.verify_last(story)
    second_chapter(story, opened)
    graph.project(story)
    graph.ask(tampering, t=story.tenant)  # type: ignore[arg-type]
    last = graph.verify_last(story)
    assert (last.entities, last.equal) == (2, False)
    assert {one.kind for one in last.differences} == {Kind(kind)}
    assert graph.verify_last(story).entities is None, "it was forgotten that it had been right"


def test_what_is_wrong_elsewhere_is_found_in_full_and_not_forgotten(
    graph: Graph, story: Story
) -> None:
    begun(graph, story)
    graph.ask("MATCH ()-[r:ATTRIBUTE {tenant: $t}]->() SET r.trust = 9", t=story.tenant)
    assert graph.verify_last(story).equal
    assert not graph.verify(story).equal
    last = graph.verify_last(story)
    assert (last.equal, last.entities) == (False, None)
    graph.mend(story)
    assert graph.verify_last(story).equal
    assert graph.verify_last(story).entities == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("MATCH (p:Projection {tenant: $t}) SET p.epoch = p.epoch + 1", "more than a batch"),
        ("MATCH (p:Projection {tenant: $t}) SET p.generation = p.generation + 1", "begun anew"),
        (
            "MATCH (d:ProjectionProof {tenant: $t}) SET d.buckets = d.buckets[..9]",
            "nothing that is there was found equal before",
        ),
        (
            "MATCH (d:ProjectionProof {tenant: $t}) SET d.position = 99",
            "an earlier position than the one verified",
        ),
    ],
)
def test_everything_is_compared_where_the_last_proof_does_not_reach(
    graph: Graph, story: Story, change: str, why: str
) -> None:
    begun(graph, story)
    graph.ask(change, t=story.tenant)  # type: ignore[arg-type]
    last = graph.verify_last(story)
    assert (last.equal, last.entities) == (True, None)
    assert why in last.why
    assert graph.verify_last(story).entities == 0


def test_a_closed_edge_that_the_graph_lost_is_named(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.verify_last(story)
    second_chapter(story, opened)
    graph.project(story)
    graph.ask("MATCH ()-[r:ATTRIBUTE {belief_id: $id}]->() DELETE r", id=opened[0].belief_id)
    graph.ask("MATCH (n:Entity {id: $t + '/zone:A'})-[r:ATTRIBUTE]->() DELETE r", t=story.tenant)
    found = graph.verify_last(story)
    assert opened[0].belief_id in {one.belief_id for one in found.differences}


def test_an_unfinished_batch_is_not_judged(graph: Graph, story: Story) -> None:
    first_chapter(story)
    with pytest.raises(Stopped):
        graph.project(story, stop_at=2)
    with pytest.raises(ConflictError, match="not finished"):
        graph.verify_last(story)


def test_an_empty_batch_moves_the_position_alone(graph: Graph, story: Story) -> None:
    begun(graph, story)
    digest = green(graph, story).digest
    story.hear("e9")
    story.believe(BeliefChanges())
    graph.project(story)
    last = graph.verify_last(story)
    assert (last.entities, last.digest, last.equal) == (0, digest, True)
    proof = proofs.read(graph.driver, graph.database, story.tenant)
    assert proof is not None
    assert (proof.position, proof.digest.whole) == (graph.state(story).position, digest)


def test_a_digest_is_moved_by_difference_whatever_the_order() -> None:
    subjects = [f"t/{n}" for n in range(900)]
    marks = fingerprints("BELIEF", [[n] for n in range(900)])
    whole, part, rest = Digest(), Digest(), Digest()
    for at, one in enumerate(zip(reversed(subjects), reversed(marks), strict=True)):
        whole.add(*zip(one, strict=True))
        (part if at % 3 else rest).add([one[0]], [one[1]])
    assert (whole - rest).buckets == part.buckets != rest.buckets
    forwards = Digest()
    forwards.add(subjects, marks)
    assert forwards.buckets == whole.buckets
    assert len(set(whole.buckets)) == BUCKETS
    assert Digest.of(whole.buckets).whole == whole.whole
    assert (whole - whole).whole == "0" * 32
    with pytest.raises(IntegrityError, match="3 buckets"):
        Digest.of(["0"] * 3)
