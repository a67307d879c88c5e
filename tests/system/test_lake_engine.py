"""`ask --engine lake` answers as `ask` does: same digest, same evidence, without the server."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakehouse.iceberg import open_ledger
from lakehouse.model.beliefs import Belief, key_of
from lakehouse.model.errors import EXIT_CODES, InputError
from lakehouse.model.instants import is_open, show
from lakehouse.model.statements import CLASSIFICATION_NAMES, ENTITY
from queries.answers import Answer
from queries.lake import LakeMemory
from queries.lake_view import LakeView
from queries.surfaces.cli import GROUP, Commands
from queries.view import View
from tests.golden import plant
from tests.system.conftest import Line, Lined

ROOT = Commands("beliefgraph", entry_points=[EntryPoint("ask", "queries.surfaces.ask:ask", GROUP)])
NOWHERE = {"NEO4J_URI": "bolt://127.0.0.1:9", "NEO4J_USERNAME": "nobody", "NEO4J_PASSWORD": "none"}
DOCTOR = "queries.surfaces.doctor:doctor"
POINTS = 6


@pytest.fixture(scope="session")
def the_plant(line: Line) -> Lined:
    """The authored history, through the line."""
    return line.of("plant", plant.SOURCES / "plant")


@pytest.fixture(params=["the_plant", "tzdata"])
def lined(request: pytest.FixtureRequest) -> Lined:
    """Each data set."""
    found: Lined = request.getfixturevalue(request.param)
    return found


def _same(graph: View, lake: LakeView, ask: str, *arguments: object) -> Answer:
    """Both engines' answer to one verb, and who supports it; they must be the same."""
    first: Answer = getattr(graph, ask)(*arguments)
    second: Answer = getattr(lake, ask)(*arguments)
    assert second.as_record()["beliefs"] == first.as_record()["beliefs"]
    assert second.digest == first.digest
    says, also = graph.support(*first.beliefs), lake.support(*second.beliefs)
    assert {name: set(some) for name, some in also.items()} == {
        name: set(some) for name, some in says.items()
    }
    assert [some[:1] for some in also.values()] == [some[:1] for some in says.values()]
    return first


def _views(
    lined: Lined, lake: LakeMemory, sure: random.Random, *, links: bool = False
) -> Iterator[tuple[Belief, View, LakeView]]:
    """Both views at instants inside rectangles that were ever believed, or only inside links."""
    ledger = open_ledger(lined.home.path, lined.home.environ)
    believed = ledger.beliefs(lined.tenant)
    believed = [one for one in believed if one.object_kind == ENTITY or not links]
    watermark = ledger.publications(lined.tenant)[-1].watermark
    for belief in sure.sample(believed, min(POINTS, len(believed))):
        bounds = [belief.valid_from, belief.valid_to - 1, belief.recorded_from]
        valid_at = next((at for at in bounds if not is_open(at)), 0)
        known_at = min(sure.choice([belief.recorded_from, belief.recorded_to - 1]), watermark)
        settings = {
            "valid_at": valid_at,
            "known_at": known_at,
            "clearance": sure.choice(CLASSIFICATION_NAMES[-2:]),
            "listener": sure.choice(["trust>=0", "trust>=2"]),
        }
        yield (
            belief,
            lined.memory.view(lined.tenant, **settings),
            lake.view(lined.tenant, **settings),
        )


def test_every_verb_gives_the_same_answer(lined: Lined) -> None:
    lake = LakeMemory(lined.home.path, lined.home.environ)
    told = 0
    for belief, graph, other in _views(lined, lake, random.Random(4)):
        told += len(_same(graph, other, "beliefs", belief.subject, belief.predicate).beliefs)
        told += len(_same(graph, other, "beliefs", belief.subject).beliefs)
        told += len(_same(graph, other, "holders", belief.predicate, belief.value).beliefs)
        told += len(_same(graph, other, "paths", belief.subject, 2).beliefs)
        if belief.object_kind == ENTITY:
            told += len(_same(graph, other, "entity", belief.value).beliefs)
    assert told > POINTS


def test_every_verb_over_periods_gives_the_same_answer(lined: Lined) -> None:
    lake = LakeMemory(lined.home.path, lined.home.environ)
    belief, graph, other = next(_views(lined, lake, random.Random(6), links=True))
    known = graph.basis.known_at
    value = (belief.value,) if belief.key != key_of(*belief[:1], *belief[3:5]) else ()
    _same(graph, other, "key", belief.subject, belief.predicate, *value)
    for verb, *asked in (
        ("paths_between", belief.value, belief.subject, 2),
        ("history", belief.subject, belief.predicate),
        ("episode", belief.episode_id),
        ("recorded", belief.recorded_from, belief.recorded_from + 1),
    ):
        first, second = (_told(getattr(view, verb), *asked) for view in (graph, other))
        assert second == first, verb
    first, second = (view.diff(belief.subject, known_at=known - 1) for view in (graph, other))
    assert second.as_record()["changes"] == first.as_record()["changes"]
    states = [
        sorted(row for page in view.state() for row in zip(*page, strict=True))
        for view in (graph, other)
    ]
    assert states[0] == states[1]
    assert states[0]


def _told(verb: Callable[..., Answer], *asked: object) -> tuple[object, ...]:
    """What is believed with the answer's digest, or why nothing is told: a first release of all
    zones is more than one answer holds."""
    try:
        answer = verb(*asked)
    except InputError as refused:
        return (str(refused),)
    return answer.as_record()["beliefs"], answer.digest


def test_chains_give_the_same_answer(tzdata: Lined) -> None:
    lake = LakeMemory(tzdata.home.path, tzdata.home.environ)
    settings = {"valid_at": "2024-06-01", "known_at": "2024-06-01", "clearance": "restricted"}
    graph = tzdata.memory.view(tzdata.tenant, **settings)
    other = lake.view(tzdata.tenant, **settings)
    answer = _same(graph, other, "holders", "utc_offset", "+03:00", ["has_zone"])
    assert len(answer.paths) > 10


@pytest.mark.parametrize("as_known", [[], ["--known-at", "2024-03-11"]])
def test_the_command_needs_no_server(
    the_plant: Lined, monkeypatch: pytest.MonkeyPatch, as_known: list[str]
) -> None:
    question = ["ask", "boiler:b1", "pressure_limit", "--valid-at", "2023-12-01", *as_known]
    question += ["--tenant", the_plant.tenant, "--json"]
    with the_plant.home.entered():
        by_graph = CliRunner().invoke(ROOT, question)
    with the_plant.home.entered(**NOWHERE):
        by_lake = CliRunner().invoke(ROOT, [*question, "--engine", "lake"])
    assert (by_graph.exit_code, by_lake.exit_code) == (0, 0), by_lake.output
    first, second = json.loads(by_graph.stdout), json.loads(by_lake.stdout)
    assert second["beliefs"] == first["beliefs"]
    assert second["digest"] == first["digest"]
    assert second["support"] == first["support"]
    assert second["basis"]["engine"] == "lake"
    assert set(second["basis"]["snapshots"]) == {"commits", "statements"}
    same = ("tenant", "valid_at", "known_at", "position", "watermark", "clock", "graph_digest")
    assert {name: second["basis"][name] for name in same} == {
        name: first["basis"][name] for name in same
    }
    assert "the lake" in second["basis"]["notes"][-1]


def test_an_answer_is_asked_again_from_its_basis(the_plant: Lined, tmp_path: Path) -> None:
    """The graph's basis names the lake's snapshots; the lake gives the same answer at them."""
    file = tmp_path / "answer.json"

    def ask(*given: str, **environ: str) -> Result:
        with the_plant.home.entered(**environ):
            return CliRunner().invoke(ROOT, ["ask", *given])

    question = ("boiler:b1", "pressure_limit", "--valid-at", "2023-12-01")
    told = json.loads(ask(*question, "--tenant", the_plant.tenant, "--json").stdout)
    assert {"statements", "beliefs"} <= set(told["basis"]["snapshots"])
    file.write_text(json.dumps(told))
    again = ("--basis", str(file))
    assert f"same      as was told: digest {told['digest']}" in ask(*again).stdout
    lake = json.loads(ask(*again, "--engine", "lake", "--json", **NOWHERE).stdout)
    named = told["basis"]["snapshots"]["statements"]
    assert (lake["same"], lake["digest"]) == (True, told["digest"])
    assert lake["basis"]["snapshots"]["statements"] == named
    assert lake["basis"]["notes"][-1].startswith("read at the snapshot the basis names")

    told["basis"]["snapshots"]["statements"] = "42"
    file.write_text(json.dumps(told))
    gone = json.loads(ask(*again, "--engine", "lake", "--json", **NOWHERE).stdout)
    assert gone["digest"] == told["digest"]
    assert gone["basis"]["notes"][-1] == (
        "snapshot 42 of statements has expired; answered from rows"
    )

    forged = json.loads(json.dumps(told))
    forged["beliefs"][0]["object"] = "12.0"
    unseen = json.loads(json.dumps(told))
    unseen["beliefs"][0]["evidence"]["location"] = "forged.jsonl:99"
    for changed in (forged, unseen):
        file.write_text(json.dumps(changed))
        for engine, environ in (("graph", {}), ("lake", NOWHERE)):
            refused = ask(*again, "--engine", engine, **environ)
            assert refused.exit_code == EXIT_CODES["integrity"]
            assert "was changed after it was told: its beliefs" in refused.stderr

    file.write_text(json.dumps(told | {"digest": "0" * 32}))
    differs = ask(*again)
    assert differs.exit_code == EXIT_CODES["integrity"]
    assert "the answer differs from the one that was told" in differs.stderr
    file.write_text(json.dumps({"digest": "0"}))
    for given, said in ((again, "is not an answer"), ((*again, "--history"), "cannot be given")):
        wrong = ask(*given)
        assert wrong.exit_code == EXIT_CODES["input"]
        assert said in wrong.stderr


def test_a_watermark_is_a_watermark(the_plant: Lined) -> None:
    lake = LakeMemory(the_plant.home.path, the_plant.home.environ)
    assert the_plant.tenant in lake.tenants()
    view = lake.view(the_plant.tenant, known_at="2199-01-01", clearance="restricted")
    assert view.basis.known_at == view.basis.watermark
    assert f"known_at {show(view.basis.asked_known_at or 0)}" in view.basis.notes()[0]


def test_a_graph_of_another_lake_is_found(the_plant: Lined, tmp_path: Path) -> None:
    """A forgotten setting opens another lake; graph and lake are each fine by themselves.

    The server is shared with tenants of other homes, which are rightly found too.
    """
    own = f"{the_plant.tenant}: the graph's watermark"
    examined = Commands("beliefgraph", entry_points=[EntryPoint("doctor", DOCTOR, GROUP)])
    with the_plant.home.entered():
        fine = CliRunner().invoke(examined, ["doctor"])
    assert "agreement" in fine.output
    assert own not in fine.output
    settings = {
        "TYPE": "sql",
        "URI": f"sqlite:///{tmp_path}/other.db",
        "WAREHOUSE": f"file://{tmp_path}/other",
    }
    other = {f"PYICEBERG_CATALOG__OTHER__{name}": value for name, value in settings.items()}
    with the_plant.home.entered(**other):
        wrong = CliRunner().invoke(examined, ["doctor"])
    assert wrong.exit_code == EXIT_CODES["integrity"], wrong.output
    assert own in wrong.output
    assert "made from another one" in wrong.output


def test_what_the_graph_lacks_of_its_lake_is_told(the_plant: Lined) -> None:
    """A graph of an earlier position is fine to ask, and somebody should know."""
    tenant = the_plant.tenant
    examined = Commands("beliefgraph", entry_points=[EntryPoint("doctor", DOCTOR, GROUP)])
    found = "MATCH (p:Projection {tenant: '" + tenant + "'}) "
    (here,) = the_plant.raw(found + "RETURN p.position AS position")
    said = {
        0: f"{tenant}: the lake's beliefs are at position {here['position']}, the graph holds",
        10_000: f"{tenant}: the graph's position 10000 is no belief commit of this lake",
    }
    for position, told in said.items():
        the_plant.raw(f"{found}SET p.position = {position} FINISH")
        with the_plant.home.entered():
            examination = CliRunner().invoke(examined, ["doctor", "--json"])
        the_plant.raw(f"{found}SET p.position = {here['position']} FINISH")
        (one,) = [f for f in json.loads(examination.stdout)["findings"] if told in f["message"]]
        assert one["level"] == ("problem" if position else "note")
        assert f"beliefgraph run {tenant}" in one["remedy"]
