"""The graph is a projection: complete, repeatable, provable, published last, one a tenant."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from graph import schema
from graph.comparison import Kind
from graph.drop import drop
from graph.projector import project
from graph.rows import labels
from graph.rule import masked
from graph.server import Connection
from graph.session import open_driver, server_version
from graph.statements import fragment, statement
from lakehouse.memory import MemoryLedger
from lakehouse.model.errors import (
    ConfigurationError,
    ConflictError,
    IntegrityError,
    UnavailableError,
)
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges, Publication
from tests.contracts.projected import COLUMNS, TAMPERINGS, Graph, Stopped, green
from tests.contracts.projection_story import (
    START,
    Story,
    first_chapter,
    second_chapter,
    tighten,
)

pytest_plugins = ("tests.neo4j", "tests.projections")


def test_the_graph_holds_what_the_lake_says(graph: Graph, story: Story) -> None:
    first_chapter(story)
    done = project(story.ledger, graph.driver, graph.database, story.tenant)
    assert (done.edges_opened, done.confirms_opened, done.mentions) == (5, 2, 5)
    assert (done.entities, done.values, done.episodes) == (3, 3, 2)
    verified = green(graph, story)
    assert (verified.edges, verified.nodes) == (12, 8)
    assert done.position == story.ledger.commits(story.tenant)[-1].position


def test_edges_are_read_by_the_rule_and_carry_their_episode(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    second_chapter(story, opened)
    graph.project(story)
    before = opened[0].recorded_from
    question = (
        "MATCH (s:Entity {id: $id})-[r:ATTRIBUTE {predicate: 'offset'}]->(o) WHERE "
        + fragment("rule", "r")
        + " RETURN o.text, r.episode_id, r.source, r.source_key, r.who, r.tags, r.imported"
    )
    carried = ["registry", "record e1", "clerk", ["signed", "öffentlich"], None]

    def at(known_at: int, clearance: int = 3, listener: int = 4) -> list[list[object]]:
        return graph.ask(
            question, id=f"{story.tenant}/zone:A",
            valid_at=START, known_at=known_at, listener=listener, clearance=clearance,
        )  # fmt: skip

    assert at(before) == [["3600", "e1", *carried]]
    assert [row[:2] for row in at(FOREVER - 1)] == [["7200", "e3"]]
    assert at(before - 1) == []
    assert at(before, listener=8) == []
    assert at(before, clearance=-1) == []


def test_types_become_labels_and_erased_slots_have_a_node_of_their_own(
    graph: Graph, story: Story
) -> None:
    first_chapter(story)
    graph.project(story)
    found = graph.ask(
        "MATCH (n:Entity {tenant: $t}) RETURN n.entity, n.type, labels(n) ORDER BY n.entity",
        t=story.tenant,
    )
    assert [(name, kind) for name, kind, _ in found] == [
        ("country:X", "country"), ("zone:A", "time zone"), ("zone:B", "time zone"),
    ]  # fmt: skip
    assert [set(names) for *_, names in found] == [  # type: ignore[call-overload]
        {"Entity", "Country"}, {"Entity", "TimeZone"}, {"Entity", "TimeZone"},
    ]  # fmt: skip
    erased = "MATCH (n:Value {tenant: $t, kind: 'erased'}) RETURN n.text, n.predicate"
    assert graph.ask(erased, t=story.tenant) == [["<erased>", "contact"]]


def test_a_second_batch_closes_and_opens(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    green(graph, story)
    second_chapter(story, opened)
    done = project(story.ledger, graph.driver, graph.database, story.tenant)
    assert (done.edges_opened, done.edges_closed) == (2, 2)
    assert (done.confirms_opened, done.confirms_closed) == (1, 2)
    green(graph, story)


def test_nothing_new_writes_nothing(graph: Graph, story: Story) -> None:
    first_chapter(story)
    graph.project(story)
    everything = "MATCH (p:Projection {tenant: $t}) RETURN properties(p)"
    before = graph.ask(everything, t=story.tenant)
    again = project(story.ledger, graph.driver, graph.database, story.tenant)
    assert again.edges_opened == again.mentions == again.entities == 0
    assert graph.ask(everything, t=story.tenant) == before


@pytest.mark.usefixtures("small_batches")
def test_a_projector_killed_at_any_step_ends_in_the_same_graph(graph: Graph, story: Story) -> None:
    second_chapter(story, first_chapter(story))
    steps = graph.project(story)
    digest = green(graph, story).digest
    assert steps > 12
    for step in range(1, steps + 1):
        drop(graph.driver, graph.database, story.tenant)
        with pytest.raises(Stopped):
            graph.project(story, stop_at=step)
        assert graph.state(story).position == 0
        with pytest.raises(ConflictError, match="not finished"):
            graph.verify(story)
        graph.project(story)
        assert green(graph, story).digest == digest


@pytest.mark.usefixtures("small_batches")
def test_a_later_batch_killed_at_any_step_ends_in_the_same_graph(
    graph: Graph, story: Story
) -> None:
    steps = 7
    for step in range(1, steps + 1):
        one = Story(f"{story.tenant}-{step}")
        opened = first_chapter(one)
        graph.project(one)
        position = graph.state(one).position
        second_chapter(one, opened)
        with pytest.raises(Stopped):
            graph.project(one, stop_at=step)
        assert graph.state(one).position == position
        graph.project(one)
        digest = green(graph, one).digest
        graph.remake(one)
        assert green(graph, one).digest == digest
        drop(graph.driver, graph.database, one.tenant)


def test_a_small_batch_is_written_whole_or_not_at_all(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    second_chapter(story, opened)
    everything = "MATCH ({tenant: $t})-[r]->() RETURN properties(r) AS p ORDER BY elementId(r)"
    before = graph.ask(everything, t=story.tenant)
    for step in (1, 5, 9):
        with pytest.raises(Stopped):
            graph.project(story, stop_at=step)
        assert graph.ask(everything, t=story.tenant) == before
    graph.project(story)
    assert graph.ask(everything, t=story.tenant) != before
    green(graph, story)


@pytest.mark.usefixtures("small_batches")
def test_what_closes_while_a_batch_lies_unfinished_is_closed(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    with pytest.raises(Stopped):
        graph.project(story, stop_at=9)
    second_chapter(story, opened)
    done = project(story.ledger, graph.driver, graph.database, story.tenant)
    assert done.resumed
    resumed = green(graph, story)
    graph.remake(story)
    assert green(graph, story).digest == resumed.digest


def test_a_rebuild_gives_the_same_digest_however_it_is_cut(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    second_chapter(story, opened)
    graph.project(story)
    before, then = green(graph, story), graph.state(story)
    done = graph.remake(story)
    assert done.edges_opened == 7
    assert green(graph, story).digest == before.digest
    now = graph.state(story)
    assert now.generation == then.generation + 1
    assert now.epoch > then.epoch
    assert now.watermark is None


@pytest.mark.parametrize("name", TAMPERINGS)
def test_every_tampering_is_named_and_repaired(graph: Graph, story: Story, name: str) -> None:
    first_chapter(story)
    graph.project(story)
    clean = green(graph, story)
    tampering, kind = TAMPERINGS[name]
    graph.ask(tampering, t=story.tenant)
    found = graph.verify(story)
    assert {difference.kind for difference in found.differences} == {kind}
    assert not found.equal
    assert found.lake_digest == clean.digest
    beside = ("from ", "mention", "node", "rewritten", "label", "by an")
    assert (found.digest != clean.digest) is not any(word in name for word in beside)
    mended = graph.mend(story)
    assert mended.differences == found.differences
    assert green(graph, story).digest == clean.digest
    again = graph.mend(story)
    assert (again.differences, again.edges_opened, again.nodes, again.removed) == ((), 0, 0, 0)
    graph.ask("MATCH (n {tenant: $t + 'x'}) DETACH DELETE n", t=story.tenant)


def test_every_altered_property_is_named_and_repaired(graph: Graph, story: Story) -> None:
    """One after the other: what a repair left wrong would be a second difference of the next."""
    opened = first_chapter(story)
    graph.project(story)
    for column in COLUMNS:
        graph.ask(
            f"MATCH ()-[r:ATTRIBUTE {{belief_id: $id}}]->() SET r.{column} = 'altered'",
            id=opened[0].belief_id,
        )
        mended = graph.mend(story)
        (difference,) = mended.differences
        assert (difference.kind, difference.belief_id) == (Kind.ALTERED, opened[0].belief_id)
        assert f"{column} is 'altered', the lake says" in difference.where
        assert mended.edges_opened + mended.edges_closed == 1
    green(graph, story)


def test_publishing_twice_changes_nothing_for_an_import(graph: Graph, story: Story) -> None:
    first_chapter(story, attested=True)
    graph.project(story)
    verified = green(graph, story)
    said = graph.publish(story, story.clock(), verified)
    assert said is not None
    assert said.watermark == START - 9_000_000
    assert said.digest == verified.digest == graph.state(story).digest
    assert graph.publish(story, story.clock(), green(graph, story)) == said
    assert story.ledger.publications(story.tenant) == [said]
    assert graph.state(story).clock == "attested"


def test_a_live_tenant_is_readable_up_to_its_newest_commit_when_nothing_waits(
    graph: Graph, story: Story
) -> None:
    """Beyond it a slow writer could still land a commit that is stamped already."""
    first_chapter(story)
    graph.project(story)
    extracted = story.ledger.commits(story.tenant)[-2]
    said = graph.publish(story, extracted.recorded_at - 1, green(graph, story))
    assert said is not None
    assert said.watermark == extracted.recorded_at
    began_at = story.clock()
    later = graph.publish(story, began_at, green(graph, story))
    assert later is not None
    newest = story.ledger.commits(story.tenant)[-1].recorded_at
    assert newest < began_at
    assert later.watermark == newest == graph.state(story).watermark
    story.hear("waiting")
    assert graph.publish(story, story.clock(), green(graph, story)) == later
    assert story.ledger.publications(story.tenant) == [said, later]


def test_a_publication_lost_on_the_way_is_made_up_for(
    graph: Graph, story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    first_chapter(story, attested=True)
    graph.project(story)
    verified = green(graph, story)

    def lost(_: MemoryLedger, publication: Publication) -> None:
        raise Stopped(publication)

    with monkeypatch.context() as patch:
        patch.setattr(MemoryLedger, "publish", lost)
        with pytest.raises(Stopped):
            graph.publish(story, START, verified)
    assert graph.state(story).watermark is not None
    assert story.ledger.publications(story.tenant) == []
    said = graph.publish(story, START, verified)
    assert story.ledger.publications(story.tenant) == [said]


def test_only_the_verified_state_is_published(graph: Graph, story: Story) -> None:
    opened = first_chapter(story)
    graph.project(story)
    verified = green(graph, story)
    graph.ask("MATCH ()-[r:CONFIRMS {tenant: $t}]->() DELETE r", t=story.tenant)
    with pytest.raises(IntegrityError, match="differs"):
        graph.publish(story, START, graph.verify(story))
    second_chapter(story, opened)
    with pytest.raises(IntegrityError, match="closed confirmations"):
        graph.project(story)
    with pytest.raises(ConflictError):
        graph.publish(story, START, replace(verified, position=verified.position + 1))
    graph.remake(story)
    with pytest.raises(ConflictError, match="moved"):
        graph.publish(story, START, verified)
    assert story.ledger.publications(story.tenant) == []


def test_a_publication_that_waited_for_a_projector_which_began_is_refused(
    graph: Graph, story: Story
) -> None:
    first_chapter(story)
    graph.project(story)
    verified = green(graph, story)
    with graph.driver.session(database=graph.database) as session, ThreadPoolExecutor(1) as beside:
        begun = session.begin_transaction()
        mark = "MATCH (p:Projection {tenant: $t}) SET p.projecting = 99"
        begun.run(mark, t=story.tenant).consume()
        waits = beside.submit(graph.publish, story, START, verified)
        blocked = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
        until = time.monotonic() + 30
        while not graph.ask(blocked):
            assert time.monotonic() < until
        begun.commit()
        with pytest.raises(ConflictError, match="moved"):
            waits.result()
    assert graph.state(story).watermark is None
    assert story.ledger.publications(story.tenant) == []


def test_a_tightened_classification_hides_the_past_and_moves_the_epoch(
    graph: Graph, story: Story
) -> None:
    opened = first_chapter(story)
    graph.project(story)
    graph.publish(story, story.clock(), green(graph, story))
    before = graph.state(story)
    tighten(story, opened[0])
    graph.project(story)
    after = graph.state(story)
    assert after.epoch == before.epoch + 2
    assert after.watermark == before.watermark
    green(graph, story)
    second_chapter(story, opened)
    graph.project(story)
    assert graph.state(story).epoch == after.epoch


def test_an_episode_of_which_all_is_erased_names_nobody(graph: Graph, story: Story) -> None:
    story.hear("e1")
    story.believe(BeliefChanges(opened=(story.belief("e1", "zone:A", "contact", None),)))
    graph.project(story)
    green(graph, story)
    person = "MATCH (n:Episode {tenant: $t}) RETURN n.who, n.tags, n.location"
    assert graph.ask(person, t=story.tenant) == [[None, None, None]]
    told = story.belief("e1", "zone:A", "offset", "3600")
    story.hear("e2")
    story.believe(BeliefChanges(opened=(told,)))
    graph.project(story)
    green(graph, story)
    known = graph.ask(person, t=story.tenant)
    assert known == [["clerk", ["signed", "öffentlich"], "e1.jsonl:1"]]


def test_tenants_do_not_meet(graph: Graph, story: Story) -> None:
    other = Story(f"{story.tenant}-b")
    for one in (story, other):
        opened = first_chapter(one)
        graph.project(one)
        second_chapter(one, opened)
        graph.project(one)
    digest = green(graph, story).digest
    assert green(graph, other).digest != digest
    dropped = drop(graph.driver, graph.database, other.tenant)
    assert (dropped.edges, dropped.nodes) == (18, 11)
    assert graph.ask("MATCH (n:Value {tenant: $t}) RETURN count(n)", t=other.tenant) == [[0]]
    assert green(graph, story).digest == digest


def test_a_graph_of_another_lake_is_refused(graph: Graph, story: Story) -> None:
    first_chapter(story)
    graph.project(story)
    other = Story(story.tenant)
    with pytest.raises(IntegrityError, match="another lake"):
        graph.project(other)


def test_an_empty_ledger_projects_and_publishes_nothing(graph: Graph, story: Story) -> None:
    assert project(story.ledger, graph.driver, graph.database, story.tenant).position == 0
    verified = green(graph, story)
    assert graph.publish(story, START, verified) is None
    story.hear("e1")
    story.believe(BeliefChanges())
    graph.project(story)
    assert green(graph, story).edges == 0


def test_a_missing_index_is_an_error_and_so_is_a_harmful_one(graph: Graph) -> None:
    schema.check(graph.driver, graph.database)
    try:
        graph.ask("DROP INDEX belief_key")
        with pytest.raises(IntegrityError, match="missing belief_key"):
            schema.check(graph.driver, graph.database)
    finally:
        schema.ensure(graph.driver, graph.database)
    try:
        graph.ask("CREATE INDEX harmful FOR ()-[r:BELIEF]-() ON (r.key, r.recorded_to)")
        with pytest.raises(IntegrityError, match="recorded_to"):
            schema.check(graph.driver, graph.database)
    finally:
        graph.ask("DROP INDEX harmful IF EXISTS")


def test_what_keeps_us_from_a_server_is_said(neo4j_connection: Connection, graph: Graph) -> None:
    assert server_version(graph.driver) >= (5, 26)
    with pytest.raises(UnavailableError, match="password"):
        open_driver(replace(neo4j_connection, password="wrong"))
    with pytest.raises(UnavailableError, match="no database 'nowhere'"):
        open_driver(replace(neo4j_connection, database="nowhere"))
    with pytest.raises(UnavailableError, match="nothing answers"):
        open_driver(replace(neo4j_connection, uri="bolt://127.0.0.1:1"))
    with pytest.raises(ConfigurationError, match="not an address"):
        open_driver(replace(neo4j_connection, uri="https://127.0.0.1"))


def test_the_rule_is_written_once_and_included() -> None:
    assert "c.listeners / $listener % 2 = 1 AND c.classification <= $clearance" in fragment(
        "rule", "c"
    )
    assert "//" not in statement("open_belief")
    assert fragment("edge", "row") in statement("open_belief")
    with pytest.raises(ConfigurationError, match="does not exist"):
        statement("nothing_of_ours")
    with pytest.raises(ConfigurationError, match="no fragment"):
        fragment("open_belief", "r")


def test_nothing_later_shows() -> None:
    assert masked(10, "s2", "corrected", 9) == (FOREVER, None, None)
    assert masked(10, "s2", "corrected", 10) == (10, "s2", "corrected")


def test_types_make_checked_labels() -> None:
    assert labels("time zone") == ["TimeZone"]
    assert labels("geo:country_code") == ["GeoCountryCode"]
    assert labels("") == labels("entity") == []
    assert labels("value") == ["ValueEntity"]
    for wrong in ("größe", "1st", "a`b"):
        with pytest.raises(ConfigurationError, match="makes no label"):
            labels(wrong)
