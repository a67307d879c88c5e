"""Reading keeps its promises on a real Neo4j, over graphs that were made by hand."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from neo4j import Driver

from graph import schema
from graph.server import Connection
from graph.session import open_driver
from lakehouse.model.errors import (
    ConflictError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from lakehouse.model.instants import FOREVER
from lakehouse.model.listeners import Listener, Listeners
from queries import Memory, Question, reading
from queries.basis import instant
from queries.reading import Reader
from queries.statements import asked_by, framed, stepping, verb
from queries.view import View
from tests.handmade import Handmade
from tests.plans import as_run, is_seek
from tests.shared import ROOT

WATERMARK = 1_000
DECLARED = Listeners((Listener("registry only", sources=frozenset({"registry"})),))


@pytest.fixture
def graph(neo4j_driver: Driver, neo4j_connection: Connection) -> Handmade:
    made = Handmade(neo4j_driver, neo4j_connection.database)
    made.publish(WATERMARK)
    return made


@pytest.fixture
def memory(graph: Handmade) -> Memory:
    return Memory(graph.driver, graph.database, listeners=lambda _: DECLARED, close=lambda: None)


@pytest.fixture
def ask(memory: Memory, graph: Handmade) -> Callable[..., View]:
    def view(valid_at: int = 50, known_at: int | None = 500, **settings: Any) -> View:
        settings.setdefault("clearance", "restricted")
        return memory.view(graph.tenant, valid_at=valid_at, known_at=known_at, **settings)

    return view


Ask = Callable[..., View]


@pytest.mark.skipif("NEO4J_URI" in os.environ, reason="a server of somebody else scans instead")
@pytest.mark.parametrize("index", ["attribute_key", "belief_key"])
def test_a_read_whose_index_is_missing_is_refused(graph: Handmade, ask: Ask, index: str) -> None:
    """Neo4j would scan instead, and answer as if nothing were wrong."""
    graph.believe("a", "size", "4")
    view = ask()
    try:
        graph.run(f"DROP INDEX {index}")
        with pytest.raises(IntegrityError, match="lacks an index") as refused:
            view.key("a", "size")
        assert "beliefgraph run" in refused.value.remedy
    finally:
        schema.ensure(graph.driver, graph.database)
    assert view.key("a", "size").values == {"4"}


@pytest.mark.parametrize(
    ("valid_at", "known_at", "believed"),
    [
        (10, 100, True),
        (9, 100, False),
        (19, 100, True),
        (20, 100, False),
        (15, 99, False),
        (15, 199, True),
        (15, 200, False),
    ],
)
def test_both_periods_are_half_open(
    graph: Handmade, ask: Ask, valid_at: int, known_at: int, believed: bool
) -> None:
    for predicate, kind in (("size", "integer"), ("in", "entity")):
        graph.believe("a", predicate, "4", kind=kind, valid=(10, 20), recorded=(100, 200))
    view = ask(valid_at, known_at)
    expected = {"4"} if believed else set()
    assert view.beliefs("a", "size").values == expected
    assert view.beliefs("a", "in").values == expected
    assert {b.predicate for b in view.entity("a").beliefs} == (
        {"size", "in"} if believed else set()
    )
    assert view.neighbours("a").values == expected
    assert view.paths("a", 2).values == expected
    assert {b.subject for b in view.holders("size", "4").beliefs} == ({"a"} if believed else set())
    assert {b.subject for b in view.holders("in", "4").beliefs} == ({"a"} if believed else set())


@pytest.mark.parametrize("wrong", [5, 1.5, True, b"a", ["a"], "a\ud800"])
def test_what_is_no_text_is_refused_and_not_found_empty(
    graph: Handmade, ask: Ask, memory: Memory, wrong: Any
) -> None:
    graph.believe("a", "size", "4")
    view = ask()
    for asked in (
        lambda: view.beliefs(wrong), lambda: view.beliefs("a", wrong), lambda: view.entity(wrong),
        lambda: view.neighbours(wrong), lambda: view.paths(wrong, 1),
        lambda: view.key(wrong, "size"),
        lambda: view.key("a", wrong), lambda: view.key("a", "size", wrong),
        lambda: view.holders(wrong, "4"), lambda: view.holders("size", wrong),
        lambda: view.holders("size", "4", via=[wrong]), lambda: view.history("a", wrong),
        lambda: view.episode(wrong), lambda: view.paths_between("a", wrong, 1),
        lambda: view.diff("a", wrong), lambda: view.columns("a", wrong),
        lambda: memory.view(wrong, clearance=3), lambda: ask(listener=wrong),
        lambda: memory.believed(graph.tenant, [Question("a", wrong, 1, 1)], clearance=3),
    ):  # fmt: skip
        with pytest.raises(InputError):
            asked()
    with pytest.raises(InputError):
        ask(clearance=True)
    with pytest.raises(InputError):
        view.paths("a", 2.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="is not an instant"):
        ask(valid_at=b"2024")


def test_the_evidence_stands_beside_the_belief(graph: Handmade, ask: Ask) -> None:
    graph.episode("paper", location="file.jsonl:7")
    belief = graph.believe(
        "a", "size", "4", episode_id="paper", recorded=(100, FOREVER), who="ann", trust=2
    )
    answer = ask().beliefs("a", "size")
    (told,) = answer.beliefs
    assert (told.belief_id, told.object, told.object_kind) == (belief, "4", "string")
    evidence = told.evidence
    assert (evidence.episode_id, evidence.source, evidence.source_record) == (
        "paper",
        "registry",
        "record-paper",
    )
    assert (evidence.verification, evidence.landed_at, evidence.who) == ("verified", 900, "ann")
    assert (evidence.recorded_at, evidence.attested) == (100, False)
    record = json.loads(json.dumps(answer.as_record()))
    assert record["beliefs"][0]["evidence"]["episode"] == "paper"
    assert record["basis"]["tenant"] == graph.tenant
    assert record["digest"] == answer.digest


def test_an_imported_origin_is_recorded_when_its_source_attests(graph: Handmade, ask: Ask) -> None:
    graph.publish(WATERMARK, attested_to=400)
    graph.believe(
        "a", "size", "4", episode_id="old", recorded=(120, FOREVER), heard_at=60, imported=True
    )
    answer = ask(known_at=300).beliefs("a")
    assert (answer.beliefs[0].evidence.recorded_at, answer.beliefs[0].evidence.attested) == (
        60,
        True,
    )
    assert answer.basis.clock == "attested"
    assert "attested" in answer.basis.notes()[0]
    assert ask(known_at=401).beliefs("a").basis.clock == "system"


def test_a_listener_hears_what_its_bit_is_on(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", listeners=0b00001)
    graph.believe("a", "size", "5", listeners=0b01110)
    graph.believe("a", "size", "6", listeners=0b10000)
    assert ask().beliefs("a").values == {"4"}
    assert ask(listener="trust>=2").beliefs("a").values == {"5"}
    assert ask(listener="trust >= verified").beliefs("a").values == {"5"}
    assert ask(listener="registry only").beliefs("a").values == {"6"}
    with pytest.raises(InputError, match="unknown listener"):
        ask(listener="nobody")


def test_clearance_hides_from_every_verb(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "to", "b", kind="entity", classification=2)
    graph.believe("b", "to", "c", kind="entity")
    graph.believe("c", "size", "4")
    low, high = ask(clearance="internal"), ask(clearance=2)
    assert low.beliefs("a").nothing
    assert high.beliefs("a").values == {"b"}
    assert low.paths("a", 3).nothing
    assert high.paths("a", 3).values == {"b", "c"}
    assert low.entity("b").values == {"c"}
    assert low.history("a", "to").nothing
    assert low.neighbours("b", 2).values == {"c"}
    assert not low.holders("size", "4", via=["to", "to"]).paths
    assert high.holders("size", "4", via=["to", "to"]).paths[0].start == "a"
    with pytest.raises(InputError, match="unknown clearance"):
        ask(clearance=4)


def test_nothing_later_shows(graph: Handmade, ask: Ask) -> None:
    closed = graph.believe("a", "size", "4", recorded=(100, 300))
    graph.believe("a", "size", "5", recorded=(300, FOREVER))
    (before,) = ask(known_at=299).beliefs("a").beliefs
    assert (before.recorded_to, before.closed_by, before.reason) == (FOREVER, None, None)
    (known,) = ask(known_at=299).history("a", "size").beliefs
    assert (known.belief_id, known.recorded_to, known.closed_by) == (closed, FOREVER, None)
    first, second = ask(known_at=300).history("a", "size").beliefs
    assert (first.recorded_to, first.reason) == (300, "corrected")
    assert second.recorded_to == FOREVER


def test_what_opened_and_closed_a_belief_may_be_restricted(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, 300), opened_by="secret")
    graph.believe("a", "size", "5", recorded=(300, FOREVER))

    def told(clearance: str) -> list[tuple[str | None, str | None, str | None]]:
        known = ask(known_at=300, clearance=clearance).history("a", "size").beliefs
        return [(b.opened_by, b.closed_by, b.reason) for b in known]

    assert told("restricted") == [("secret", "closer1", "corrected"), ("st2", None, None)]
    assert told("confidential") == [(None, None, "corrected"), ("st2", None, None)]


def test_a_graph_of_another_version_is_not_read(graph: Handmade, ask: Ask) -> None:
    view = ask()
    graph.publish(WATERMARK, schema_version=1)
    for read in (lambda: view.beliefs("a"), ask):
        with pytest.raises(ConflictError, match="another version") as other:
            read()
        assert f"beliefgraph run {graph.tenant}" in other.value.remedy


def test_an_answer_keeps_its_digest_when_more_becomes_known(graph: Handmade, ask: Ask) -> None:
    belief = graph.believe("a", "size", "4", recorded=(100, FOREVER))
    before = ask(known_at=299)
    digest, history = before.beliefs("a").digest, before.history("a", "size").digest
    graph.run(
        "MATCH ()-[r:ATTRIBUTE {belief_id: $id}]->() "
        "SET r.recorded_to = 300, r.closed_by = 'x', r.reason = 'corrected'",
        id=belief,
    )
    graph.believe("a", "size", "5", recorded=(300, FOREVER))
    graph.publish(2_000, epoch=4, position=9, digest="d2")
    after = ask(known_at=299)
    assert after.beliefs("a").digest == digest
    assert after.history("a", "size").digest == history
    assert after.beliefs("a").basis.epoch == 4
    assert ask(known_at=300).beliefs("a").digest != digest


def test_known_at_above_the_watermark(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, WATERMARK + 5))
    graph.believe("a", "size", "5", recorded=(WATERMARK + 5, FOREVER))
    answer = ask(known_at=WATERMARK + 7).beliefs("a")
    assert answer.values == {"4"}
    assert (answer.basis.known_at, answer.basis.asked_known_at) == (WATERMARK, WATERMARK + 7)
    assert "not published yet" in answer.basis.notes()[0]
    with pytest.raises(ConflictError, match="above the watermark"):
        ask(known_at=WATERMARK + 1, strict=True)
    assert ask(known_at=WATERMARK, strict=True).basis.asked_known_at is None
    assert ask(known_at=None).basis.known_at == WATERMARK


def test_nothing_known_is_an_answer_with_a_basis(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, FOREVER))
    unknown = ask().beliefs("nobody", "size")
    assert unknown.nothing
    assert unknown.basis.watermark == WATERMARK
    for answer in (
        ask().entity("nobody"),
        ask().paths("nobody", 3),
        ask().neighbours("nobody", 3),
        ask().history("nobody", "size"),
        ask().holders("size", "no such value"),
        ask().holders("size", "no such value", via="to"),
        ask(known_at=99).beliefs("a"),
        ask(known_at=-5).history("a", "size"),
    ):
        assert answer.nothing
        assert not answer.paths
        assert answer.as_record()["beliefs"] == []


def test_all_steps_hold_at_the_same_two_instants(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "to", "b", kind="entity", valid=(0, 10), recorded=(1, FOREVER))
    graph.believe("b", "to", "c", kind="entity", valid=(8, 20), recorded=(50, 80))
    graph.believe("c", "size", "4", valid=(0, 9), recorded=(60, FOREVER))

    def reached(valid_at: int, known_at: int) -> set[tuple[str, int]]:
        return {(p.end, p.length) for p in ask(valid_at, known_at).paths("a", 3).paths}

    assert reached(9, 60) == {("b", 1), ("c", 2)}
    assert reached(5, 60) == {("b", 1)}
    assert reached(15, 60) == set()
    assert reached(9, 49) == {("b", 1)}
    assert reached(9, 80) == {("b", 1)}

    def who(valid_at: int, known_at: int) -> bool:
        return bool(ask(valid_at, known_at).holders("size", "4", via=["to", "to"]).paths)

    assert who(8, 60)
    assert not who(9, 60)
    assert not who(8, 59)
    assert not who(7, 60)


def test_paths_take_the_fewest_steps_and_cycles_end(graph: Handmade, ask: Ask) -> None:
    edges = [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c"), ("c", "d"), ("b", "d"), ("d", "e")]
    for subject, obj in edges:
        graph.believe(subject, "to", obj, kind="entity", many=True)
    answer = ask().paths("a", 3)
    assert {(p.end, p.length) for p in answer.paths} == {("b", 1), ("c", 1), ("d", 2), ("e", 3)}
    assert [p.end for p in ask().paths("a", 1).paths] == ["b", "c"]
    first = {p.end: [s.belief_id for s in p.steps] for p in answer.paths}
    again = {p.end: [s.belief_id for s in p.steps] for p in ask().paths("a", 3).paths}
    assert first == again
    for hops in (0, 4):
        with pytest.raises(InputError, match="steps"):
            ask().paths("a", hops)


def test_neighbours_tell_the_step_at_which_an_edge_is_met(graph: Handmade, ask: Ask) -> None:
    for subject, obj in (("a", "b"), ("c", "b"), ("c", "d"), ("d", "e")):
        graph.believe(subject, "to", obj, kind="entity", many=True)
    graph.believe("c", "size", "4")

    def met(hops: int) -> list[tuple[str, str, int]]:
        return [(b.subject, b.object, b.step) for b in ask().neighbours("a", hops).beliefs]

    assert met(1) == [("a", "b", 1)]
    assert met(2) == [("a", "b", 1), ("c", "b", 2)]
    assert met(3) == [("a", "b", 1), ("c", "b", 2), ("c", "d", 3)]


def test_who_has_a_value(graph: Handmade, ask: Ask) -> None:
    for country, zone in (("KE", "Nairobi"), ("ET", "Nairobi"), ("TR", "Istanbul")):
        graph.believe(country, "has_zone", zone, kind="entity", many=True)
    graph.believe("KE", "visits", "Istanbul", kind="entity", many=True)
    graph.believe("Nairobi", "utc_offset", "+03:00")
    graph.believe("Istanbul", "utc_offset", "+03:00", valid=(100, FOREVER))
    answer = ask().holders("utc_offset", "+03:00", via="has_zone")
    assert [(p.start, p.end, p.length) for p in answer.paths] == [
        ("ET", "+03:00", 2),
        ("KE", "+03:00", 2),
    ]
    later = ask(valid_at=100).holders("utc_offset", "+03:00", via="has_zone")
    assert later.subjects == {"ET", "KE", "TR"}
    assert ask().holders("has_zone", "Nairobi").subjects == {"ET", "KE"}
    with pytest.raises(InputError, match="3 steps"):
        ask().holders("utc_offset", "+03:00", via=["a", "b", "c"])


def test_support_is_the_origin_and_the_live_confirmations(graph: Handmade, ask: Ask) -> None:
    belief = graph.believe("a", "size", "4", recorded=(100, FOREVER))
    second = graph.confirm(belief, "a", "chat", recorded=(200, 400))
    graph.confirm(belief, "a", "elsewhen", valid=(60, 70), recorded=(100, FOREVER))
    graph.confirm(belief, "a", "unheard", listeners=8, recorded=(100, FOREVER))
    graph.confirm(belief, "a", "secret", classification=3, recorded=(100, FOREVER))

    def supporters(known_at: int) -> list[str]:
        view = ask(known_at=known_at, clearance="public")
        return [e.statement_id for e in view.support(*view.beliefs("a").beliefs)[belief]]

    origin = ask().beliefs("a").beliefs[0].evidence.statement_id
    assert supporters(199) == [origin]
    assert supporters(200) == [origin, second]
    assert supporters(399) == [origin, second]
    assert supporters(400) == [origin]
    assert ask().support() == {}


def test_an_erased_belief_reads_as_one_slot_without_support(
    graph: Handmade, ask: Ask, memory: Memory
) -> None:
    for number in range(2):
        graph.believe("a", "knows", f"token{number}", kind="erased", many=True)
    graph.believe("a", "knows", "b", kind="entity", many=True)
    view = ask()
    answer = view.beliefs("a", "knows")
    assert answer.values == {"<erased>", "b"}
    erased = [belief for belief in answer.beliefs if belief.erased]
    assert all(view.support(belief)[belief.belief_id] == () for belief in erased)
    assert erased[0].as_record()["evidence"] is None
    assert "token" not in json.dumps(answer.as_record())
    assert view.paths("a", 3).values == {"b"}
    (reply,) = memory.believed(graph.tenant, [Question("a", "knows", 50, 500)], clearance=3)
    assert reply.values["<erased>"] == frozenset()
    assert len(reply.values) == 2


def test_a_value_that_reads_as_if_erased_is_none(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "says", "<erased>")
    (belief,) = ask().beliefs("a", "says").beliefs
    assert not belief.erased
    assert ask().support(belief)[belief.belief_id] == (belief.evidence,)


def test_many_questions_are_answered_in_one_read(graph: Handmade, memory: Memory) -> None:
    first = graph.believe("a", "size", "4", recorded=(100, 300))
    graph.believe("a", "size", "5", recorded=(300, FOREVER), listeners=0b0011)
    graph.believe("a", "likes", "b", kind="entity", many=True, valid=(10, 20))
    graph.believe("a", "likes", "c", kind="entity", many=True)
    confirming = graph.confirm(first, "a", "chat", recorded=(200, 300))
    replies = memory.believed(
        graph.tenant,
        [
            Question("a", "size", 50, 150),
            Question("a", "size", 50, 250),
            Question("a", "size", 50, 300),
            Question("a", "size", 50, 300, "trust>=2"),
            Question("a", "likes", 10, 300),
            Question("a", "likes", 20, WATERMARK + 1),
            Question("nobody", "size", 50, 300),
        ],
        clearance="restricted",
    )
    assert [set(reply.values) for reply in replies] == [
        {"4"},
        {"4"},
        {"5"},
        set(),
        {"b", "c"},
        {"c"},
        set(),
    ]
    assert len(replies[0].values["4"]) == 1
    assert confirming in replies[1].values["4"]
    assert replies[5].basis.asked_known_at == WATERMARK + 1
    assert memory.believed(graph.tenant, [], clearance=3) == []
    with pytest.raises(ConflictError):
        memory.believed(
            graph.tenant, [Question("a", "size", 50, WATERMARK + 1)], clearance=3, strict=True
        )


def test_many_questions_are_not_answered_above_what_a_rebuilt_graph_holds(
    graph: Handmade, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph.believe("a", "size", "4")
    before = memory._reader.state(graph.tenant)
    graph.publish(WATERMARK - 1)
    monkeypatch.setattr(memory._reader, "state", lambda tenant: before)
    with pytest.raises(ConflictError, match="was rebuilt"):
        memory.believed(graph.tenant, [Question("a", "size", 50, WATERMARK)], clearance=3)


def test_thousands_of_questions_take_seconds(graph: Handmade, memory: Memory) -> None:
    for number in range(20):
        graph.believe(f"e{number}", "size", str(number), recorded=(100, FOREVER))
    questions = [Question(f"e{n % 25}", "size", 50, 90 + n % 20) for n in range(5_000)]
    started = time.monotonic()
    replies = memory.believed(graph.tenant, questions, clearance=3)
    assert time.monotonic() - started < 20
    for question, reply in zip(questions, replies, strict=True):
        number = int(question.entity[1:])
        known = number < 20 and question.known_at >= 100
        assert set(reply.values) == ({str(number)} if known else set())


def test_tenants_never_meet(graph: Handmade, ask: Ask) -> None:
    other = Handmade(graph.driver, graph.database)
    other.publish(WATERMARK)
    for made, size, friend in ((graph, "4", "b"), (other, "5", "c")):
        made.believe("a", "size", size)
        made.believe("a", "to", friend, kind="entity")
        made.believe("z", "size", "9")
    view = ask()
    assert view.beliefs("a", "size").values == {"4"}
    assert view.paths("a", 3).values == {"b"}
    assert view.neighbours("a", 3).values == {"b"}
    assert len(view.holders("size", "9").beliefs) == 1
    assert view.holders("size", "5").nothing
    assert view.beliefs(f"../{other.tenant}/a").nothing
    (belief,) = (b for b in ask().beliefs("a", "size").beliefs)
    assert belief.belief_id.startswith(graph.tenant)


def test_tenants_that_cannot_be_asked(memory: Memory, graph: Handmade) -> None:
    with pytest.raises(InputError, match="unknown tenant") as unknown:
        memory.view("no-such-tenant", clearance=3)
    assert graph.tenant in unknown.value.remedy
    with pytest.raises(InputError, match="cannot name a tenant"):
        memory.view("a/b", clearance=3)
    graph.publish(None)
    graph.run("MATCH (p:Projection {tenant: $t}) REMOVE p.watermark", t=graph.tenant)
    with pytest.raises(UnavailableError, match="published") as early:
        memory.view(graph.tenant, clearance=3)
    assert "beliefgraph run" in early.value.remedy


def test_a_read_that_saw_the_epoch_move_is_repeated(graph: Handmade) -> None:
    """The first attempt is slow enough for the epoch to move between its two looks."""
    graph.run("CREATE (:Slow {tenant: $t, work: 6000000})", t=graph.tenant)
    slow = framed(
        "MATCH (w:Slow {tenant: $tenant}) UNWIND range(1, w.work) AS i "
        "WITH w, sum(i % 7) AS spent RETURN [w.work, spent] AS found"
    )
    reader = Reader(graph.driver, graph.database)

    def move() -> None:
        time.sleep(0.15)
        graph.run("MATCH (w:Slow {tenant: $t}) SET w.work = 10", t=graph.tenant)
        graph.publish(WATERMARK, epoch=1)

    mover = threading.Thread(target=move)
    mover.start()
    found = reader.read(graph.tenant, slow, {})
    mover.join()
    assert found.state.epoch == 1
    assert found.rows[0] == 10


def test_an_epoch_that_never_rests_is_an_error(
    graph: Handmade, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def moving(before: int, after: int) -> None:
        seen.append(before)
        raise reading.EpochMoved

    monkeypatch.setattr(reading, "check_epoch", moving)
    reader = Reader(graph.driver, graph.database, pause=0.0001)
    with pytest.raises(UnavailableError, match="below its watermark"):
        reader.read(graph.tenant, verb("beliefs"), _beliefs(graph))
    assert len(seen) == reading.ATTEMPTS


def test_a_view_is_pinned_and_names_the_state_it_was_read_from(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, FOREVER))
    view = ask(known_at=None)
    graph.publish(2_000, epoch=3, position=12, generation=2)
    graph.believe("a", "size", "5", recorded=(1_500, FOREVER))
    basis = view.beliefs("a").basis
    assert view.beliefs("a").values == {"4"}
    assert (basis.known_at, basis.watermark, basis.epoch) == (WATERMARK, 2_000, 3)
    assert (basis.position, basis.generation) == (12, 2)
    graph.publish(10)
    with pytest.raises(ConflictError, match="rebuilt"):
        view.beliefs("a")


def test_nothing_can_be_written_through_a_view(graph: Handmade, ask: Ask) -> None:
    view = ask(known_at=None)
    for text in ("CREATE (:Scribble)", "MATCH (n:Entity) SET n.x = 1", "nonsense"):
        with pytest.raises(InputError, match="refused the Cypher"):
            view.cypher(text)
    graph.believe("a", "size", "4", recorded=(100, FOREVER))
    raw = view.cypher(
        "MATCH (s:Entity {id: $tenant + '/' + $name})-[r]->(o) "
        "WHERE r.recorded_from <= $known_at RETURN o.text AS size",
        {"name": "a", "known_at": -1},
    )
    assert (raw.columns, raw.rows, raw.basis.tenant) == (("size",), (("4",),), graph.tenant)


def test_raw_cypher_is_refused_where_it_would_show_too_much(ask: Ask) -> None:
    with pytest.raises(InputError, match="pinned"):
        ask(known_at=500).cypher("RETURN 1")
    with pytest.raises(InputError, match="classification"):
        ask(known_at=None, clearance="confidential").cypher("RETURN 1")


def _beliefs(graph: Handmade) -> dict[str, object]:
    return {
        "entity": f"{graph.tenant}/a",
        "predicate": "size",
        "valid_at": 50,
        "known_at": 500,
        "listener": 1,
        "clearance": 3,
    }


def _steps(plan: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Operators and what each tells of itself, the last to run first; an Apply's left side comes
    before its right one, and runs first."""
    yield str(plan["operatorType"]).partition("@")[0], str(plan["args"].get("Details", ""))
    for child in plan.get("children", ()):
        yield from _steps(child)


@pytest.fixture(scope="module")
def crowded(neo4j_driver: Driver, neo4j_connection: Connection) -> Iterator[None]:
    """Enough in the graph for its statistics to say what a real one's say."""
    with Handmade(neo4j_driver, neo4j_connection.database).crowd(200):
        yield


def _plan(graph: Handmade, text: str) -> dict[str, Any]:
    """The plan of a shipped read."""
    given = _beliefs(graph) | {
        "tenant": graph.tenant,
        "value": "v",
        "via": ["a", "b"],
        "hops": 2,
        "beliefs": ["x"],
        "questions": [],
        "key": "k",
        "forks": [1, 2],
        "leaf": 3,
        "open": [4],
        "crowd": 5,
        "end": f"{graph.tenant}/b",
        "most": 10,
        "episode": "e",
        "node": f"{graph.tenant}/e",
        "since": 1,
        "until": 2,
        "from": f"{graph.tenant}/",
        "stop": f"{graph.tenant}0",
        "page": 10,
    }
    with graph.driver.session(database=graph.database) as session:
        plan = session.run("EXPLAIN " + text, given).consume().plan
    assert plan is not None
    return plan


SCANS = ("AllNodesScan", "NodeByLabelScan")
"""And of relationships every scan: by type, of all, of a whole index."""


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize(
    "text",
    [
        verb("beliefs"),
        verb("entity"),
        verb("history"),
        verb("holders"),
        verb("support"),
        verb("key"),
        verb("dense_key"),
        verb("episode"),
        verb("recorded"),
        verb("state"),
        verb("next_page"),
        verb("columns"),
        asked_by("diff", "q"),
        stepping("paths_between", "{1,3}", "{1,3}"),
        stepping("neighbours", "{1,2}", "{1,1}"),
        stepping("paths", "{1,3}", "{1,3}"),
        stepping("holders_via", "{2}", "{2}"),
        asked_by("believed", "q"),
    ],
)
def test_every_verb_starts_from_an_index_and_looks_at_the_epoch_last(
    graph: Handmade, text: str
) -> None:
    steps = [step for step in _steps(_plan(graph, text)) if step[0] != "CacheProperties"]
    operators = [operator for operator, _ in steps]
    assert not [
        one for one in operators if one in SCANS or ("Relationship" in one and one.endswith("Scan"))
    ]
    framed_by, first = operators.index("Apply"), operators.index("NodeUniqueIndexSeek")
    assert [one for one in operators[first + 1 :] if "Seek" in one]
    # The second look is above the Apply and reads the node anew; the first is its left side.
    assert "p{.*} AS projection" in [details for _, details in steps[:framed_by]]
    assert set(operators[framed_by + 1 : first]) == {"Projection"}


PLANS = (ROOT / "graph/README.md").read_text().split("## Plans of the main reads\n")[1]
SHOWN = {
    "key": verb("key"),
    "entity": verb("entity"),
    "neighbours, 1 hop": stepping("neighbours", "{1,2}", "{1,1}"),
    **{
        f"paths, {n} hop{'s'[: n - 1]}": stepping("paths", "{1,3}", f"{{1,{n}}}") for n in (1, 2, 3)
    },
    "history": verb("history"),
    "diff": asked_by("diff", "q"),
    "episode": verb("episode"),
    "dense key": verb("dense_key"),
}


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("name", SHOWN)
def test_the_page_names_what_a_read_seeks(graph: Handmade, name: str) -> None:
    row = PLANS.split(f"| {name} |")[1].split("\n")[0]
    sought = {one for one in as_run(_plan(graph, SHOWN[name])) if is_seek(one)}
    assert {*re.findall(r"`([^`]+)`", row), "Projection(tenant)"} == sought


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (5, 5),
        ("1970-01-02", 86_400_000_000),
        ("1970-01-01T00:00:00.000007Z", 7),
        (date(1970, 1, 2), 86_400_000_000),
        (datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(hours=1))), 0),
    ],
)
def test_instants_are_taken_in_every_form(given: Any, expected: int) -> None:
    assert instant("valid_at", given) == expected


def test_instants_that_cannot_be_asked() -> None:
    naive = datetime(2020, 1, 1)
    for wrong in (True, FOREVER, "yesterday", "2020-01-01T00:00", "2020-13-01", naive):
        with pytest.raises(InputError):
            instant("valid_at", wrong)
    assert instant("valid_at", "2020-01-01", UTC) == instant("valid_at", "2020-01-01")


def test_a_server_that_is_gone_is_a_clear_error(neo4j_connection: Connection) -> None:
    driver = open_driver(neo4j_connection)
    reader = Reader(driver, "no-such-database", pause=0.0001)
    with pytest.raises(UnavailableError):
        reader.tenants()
    driver.close()
