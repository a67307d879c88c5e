"""The verbs that ask for more than one place or instant, on a real Neo4j, over handmade graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from neo4j import Driver

from graph.server import Connection
from lakehouse.model.errors import ConflictError, InputError, UnavailableError
from lakehouse.model.instants import FOREVER
from queries import Memory, limits, streaming, view
from queries.view import View
from tests.handmade import Handmade

WATERMARK = 1_000
Ask = Callable[..., View]


@pytest.fixture
def graph(neo4j_driver: Driver, neo4j_connection: Connection) -> Handmade:
    made = Handmade(neo4j_driver, neo4j_connection.database)
    made.publish(WATERMARK)
    return made


@pytest.fixture
def ask(graph: Handmade) -> Ask:
    memory = Memory(graph.driver, graph.database, close=lambda: None)

    def at(valid_at: int = 50, known_at: int | None = 500, **settings: Any) -> View:
        settings.setdefault("clearance", "restricted")
        return memory.view(graph.tenant, valid_at=valid_at, known_at=known_at, **settings)

    return at


def test_a_key_is_found_by_its_index(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, 300))
    graph.believe("a", "size", "5", recorded=(300, FOREVER), classification=2)
    graph.believe("a", "near", "b", kind="entity", many=True)
    graph.believe("a", "near", "c", kind="entity", many=True)
    assert ask(known_at=299).key("a", "size").values == {"4"}
    assert ask(known_at=300).key("a", "size").values == {"5"}
    assert ask(known_at=300, clearance="internal").key("a", "size").nothing
    assert ask().key("a", "near", "c").values == {"c"}
    assert ask().key("a", "near").nothing
    assert ask().key("a", "size").beliefs == ask().beliefs("a", "size").beliefs


def test_paths_between_take_steps_either_way(
    graph: Handmade, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start, end in (("a", "m"), ("b", "m"), ("a", "n"), ("n", "b"), ("b", "c"), ("c", "d")):
        graph.believe(start, "to", end, kind="entity", many=True)
    graph.believe("a", "to", "secret", kind="entity", many=True, classification=3)
    graph.believe("secret", "to", "d", kind="entity", many=True)
    answer = ask().paths_between("a", "b", 3)
    assert [(p.start, p.end, p.length) for p in answer.paths] == [("a", "b", 2)] * 2
    assert [[s.subject for s in p.steps] for p in answer.paths] == [["a", "b"], ["a", "n"]]
    assert ask().paths_between("a", "b", 1).nothing
    assert [p.length for p in ask().paths_between("a", "d", 3).paths] == [2]
    assert ask(clearance="internal").paths_between("a", "d", 3).nothing
    assert ask().paths_between("a", "a", 3).nothing
    assert ask().paths_between("a", "nobody", 3).nothing
    assert ask(known_at=0).paths_between("a", "b", 3).nothing
    monkeypatch.setattr(view, "MOST_TOLD", 1)
    monkeypatch.setattr(limits, "MOST_TOLD", 1)
    with pytest.raises(InputError, match="more than 1 paths"):
        ask().paths_between("a", "b", 3)


def test_everything_that_came_from_an_episode(graph: Handmade, ask: Ask) -> None:
    own = graph.believe("a", "size", "4", episode_id="paper", recorded=(100, 300))
    link = graph.believe("a", "to", "b", kind="entity", episode_id="paper", recorded=(200, FOREVER))
    other = graph.believe("a", "colour", "red", recorded=(100, FOREVER))
    graph.believe("a", "shape", "round", recorded=(100, FOREVER))
    secret = graph.believe("c", "size", "9", recorded=(100, FOREVER), classification=3)
    for belief, subject in ((other, "a"), (secret, "c")):
        graph.confirm(belief, subject, "paper", recorded=(150, FOREVER))
    elsewhere = Handmade(graph.driver, graph.database)
    elsewhere.believe("a", "size", "4", episode_id="paper")

    def told(known_at: int, clearance: str = "restricted") -> set[str]:
        answer = ask(known_at=known_at, clearance=clearance).episode("paper")
        return {belief.belief_id for belief in answer.beliefs}

    assert told(99) == set()
    assert told(149) == {own}
    assert told(150) == {own, other, secret}
    assert told(200, "internal") == {own, link, other}
    first = ask(known_at=299).episode("paper").beliefs[0]
    assert (first.belief_id, first.recorded_to, first.closed_by) == (own, FOREVER, None)
    assert ask().episode("unknown").nothing


def test_what_was_recorded_in_a_period(
    graph: Handmade, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = graph.believe("a", "size", "4", recorded=(100, 300))
    new = graph.believe("a", "to", "b", kind="entity", recorded=(300, 400))
    graph.believe("a", "size", "9", recorded=(250, FOREVER), classification=3)

    def told(since: int, until: int, known_at: int = 500) -> list[tuple[str, bool]]:
        answer = ask(known_at=known_at, clearance="internal").recorded(since, until)
        return [(b.belief_id, b.recorded_to == FOREVER) for b in answer.beliefs]

    assert told(100, 101) == [(old, False)]
    assert told(101, 300) == []
    assert told(300, 301) == [(old, False), (new, False)]
    assert told(301, 400) == []
    assert told(400, 401) == [(new, False)]
    assert told(0, 1_000, known_at=299) == [(old, True)]
    assert told(300, 1_000, known_at=299) == []
    assert told(300, 1_000, known_at=399) == [(old, False), (new, True)]
    with pytest.raises(InputError, match="empty"):
        ask().recorded(300, 300)
    monkeypatch.setattr(view, "MOST_TOLD", 1)
    monkeypatch.setattr(limits, "MOST_TOLD", 1)
    with pytest.raises(InputError, match="more than 1 beliefs"):
        ask().recorded(0, 1_000)


def test_what_became_different_between_two_pairs(graph: Handmade, ask: Ask) -> None:
    graph.believe("a", "size", "4", recorded=(100, 300))
    graph.believe("a", "size", "5", recorded=(300, FOREVER))
    graph.believe("a", "colour", "red", recorded=(100, 200))
    graph.believe("a", "colour", "red", recorded=(200, FOREVER))
    graph.believe("a", "gone", "x", recorded=(100, 300))
    graph.believe("a", "to", "b", kind="entity", many=True, recorded=(300, FOREVER))
    graph.believe("a", "later", "y", valid=(60, 70), recorded=(100, FOREVER))

    def told(view: View, **other: int) -> list[tuple[str, str, str | None, str | None]]:
        return [
            (
                one.kind,
                (one.after or one.before).predicate,  # type: ignore[union-attr]
                one.before and one.before.object,
                one.after and one.after.object,
            )
            for one in view.diff("a", **other).changes
        ]

    now = ask(known_at=400)
    assert told(now) == told(now, known_at=300) == []
    assert told(now, known_at=150) == [
        ("no longer believed", "gone", "x", None),
        ("changed", "size", "4", "5"),
        ("newly believed", "to", None, "b"),
    ]
    assert told(now, valid_at=60) == [("no longer believed", "later", "y", None)]
    graph.publish(WATERMARK, attested_to=200)
    told_of = ask(known_at=WATERMARK + 1).diff("a", known_at=150)
    assert (told_of.before.clock, told_of.after.clock) == ("attested", "system")
    assert (told_of.before.asked_known_at, told_of.after.asked_known_at) == (None, WATERMARK + 1)
    before = now.diff("a", "size", known_at=299)
    assert (before.before.known_at, before.after.known_at) == (299, 400)
    assert before.changes[0].before is not None
    assert before.changes[0].before.recorded_to == FOREVER
    assert before.as_record()["changes"][0]["kind"] == "changed"  # type: ignore[index]
    with pytest.raises(InputError, match="became known after"):
        ask(known_at=200).diff("a", known_at=201)


@pytest.mark.parametrize("page", [1, 2, 4])
def test_pages_miss_no_entity_whatever_its_letters(graph: Handmade, ask: Ask, page: int) -> None:
    """The index orders by code points, the ends of a range are compared in UTF-16."""
    names = {"", "a", "\uffff", "\U0001f600", "\U0001f600/\x00", "'\"\\"}
    for name in names:
        graph.believe(name, "size", "4")
    view = ask()
    found = [one for told in streaming.stream(view._reader, view.basis, page) for one in told[0]]
    assert len(found) == len(names)
    assert set(found) == names


def test_the_whole_state_comes_in_pages(
    graph: Handmade, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        graph.believe(
            f"e{number}", "size", str(number), recorded=(100, 300 if number == 3 else 900)
        )
        graph.believe(f"e{number}", "to", "e0", kind="entity")
    graph.believe("e1", "secret", "s", classification=3)
    graph.believe("e1", "was", "token", kind="erased")
    monkeypatch.setattr(streaming, "PAGE", 3)

    def told(view: View) -> list[tuple[Any, ...]]:
        pages = list(streaming.stream(view._reader, view.basis, 3))
        assert len(pages) == 3
        return [row for page in pages for row in zip(*page, strict=True)]

    found = told(ask(clearance="internal"))
    assert len(found) == 7 + 6 + 1
    assert [row[0] for row in found] == sorted(row[0] for row in found)
    assert ("e1", "was", "<erased>", "erased") in {row[:4] for row in found}
    for subject, predicate, value, kind, *rest in found:
        belief = next(b for b in ask().beliefs(subject, predicate).beliefs if b.object == value)
        origin = (belief.evidence.statement_id, belief.evidence.episode_id)
        known = (belief.recorded_from, belief.evidence.trust)
        told_of = (belief.object_kind, belief.valid_from, belief.valid_to, *known, *origin)
        assert told_of == (kind, *rest)
    whole = ask(clearance="internal").columns("e1")
    assert sorted(zip(*whole, strict=True)) == [row for row in sorted(found) if row[0] == "e1"]
    stream = streaming.stream(ask()._reader, ask().basis, 1)
    next(stream)
    graph.publish(WATERMARK, epoch=5)
    with pytest.raises(UnavailableError, match="no single state"):
        list(stream)


@pytest.mark.parametrize("watermark", [499, None])
def test_a_state_is_none_of_a_graph_that_was_begun_anew_and_does_not_reach_so_far(
    graph: Handmade, ask: Ask, watermark: int | None
) -> None:
    """A drop and a load meanwhile: what is there by now would look like all that is believed."""
    graph.believe("a", "size", "4")
    view = ask(known_at=500)
    assert [told.object for told in view.state()] == [["4"]]
    graph.run("MATCH (p:Projection {tenant: $t}) SET p.watermark = $w", t=graph.tenant, w=watermark)
    graph.run("MATCH (p:Projection {tenant: $t}) SET p.generation = 2", t=graph.tenant)
    with pytest.raises(ConflictError, match="does not reach known_at"):
        list(view.state())
