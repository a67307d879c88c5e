"""`beliefgraph ask`, as an auditor types it, over a graph made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from neo4j import Driver

from graph.server import Connection
from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import EXIT_CODES, InputError
from lakehouse.model.instants import FOREVER, parse
from lakehouse.model.listeners import Listener, Listeners
from queries.surfaces.cli import GROUP, Commands
from queries.surfaces.wanted import chain
from tests.handmade import Handmade

ROOT = Commands("beliefgraph", entry_points=[EntryPoint("ask", "queries.surfaces.ask:ask", GROUP)])
ZONE = "zone:America/Mexico_City"
Run = Callable[..., Result]


@pytest.fixture
def graph(neo4j_driver: Driver, neo4j_connection: Connection) -> Handmade:
    """What was believed of Mexico City's clocks before and after the law of October 2022."""
    made = Handmade(neo4j_driver, neo4j_connection.database)
    made.publish(parse("2026-01-01"), attested_to=parse("2026-01-01"), clock="attested")
    law, summer = parse("2022-11-01"), parse("2023-04-02T08:00:00Z")
    autumn = parse("2023-10-29T07:00:00Z")
    landed = parse("2026-02-01")
    for name, at in (("tzdata/2022.1", "2022-03-16"), ("tzdata/2022.6", "2022-11-01")):
        made.episode(name, source="tzdata", attested_at=parse(at), landed_at=landed)
    told: dict[str, Any] = {"source": "tzdata", "trust": 3, "imported": True, "landed_at": landed}
    early = told | {"episode_id": "tzdata/2022.1"}
    late = told | {"episode_id": "tzdata/2022.6"}
    made.believe(
        ZONE,
        "utc_offset",
        "-05:00",
        valid=(summer, autumn),
        recorded=(parse("2022-03-16"), law),
        closed_by="st-law",
        **early,
    )
    made.believe(ZONE, "utc_offset", "-06:00", valid=(0, FOREVER), recorded=(law, FOREVER), **late)
    made.believe("country:MX", "has_zone", ZONE, kind="entity", many=True, **early)
    made.believe("country:MX", "part_of", "continent:NA", kind="entity", **early)
    return made


@pytest.fixture
def run(
    graph: Handmade,
    neo4j_connection: Connection,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Run:
    monkeypatch.setenv("NEO4J_URI", neo4j_connection.uri)
    monkeypatch.setenv("NEO4J_USERNAME", neo4j_connection.username)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_connection.password)
    monkeypatch.setenv("NEO4J_DATABASE", neo4j_connection.database)
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(tmp_path))
    monkeypatch.setenv("BELIEFGRAPH_TENANT", graph.tenant)

    def ask(*args: str) -> Result:
        return CliRunner().invoke(ROOT, ["ask", *args])

    return ask


def test_the_same_question_as_known_then_and_now(run: Run, graph: Handmade) -> None:
    then = run(ZONE, "utc_offset", "--valid-at", "2023-06-01", "--known-at", "2022-10-01")
    now = run(ZONE, "utc_offset", "--valid-at", "2023-06-01")
    assert (then.exit_code, now.exit_code) == (0, 0)
    assert then.stdout.splitlines()[:14] == [
        "zone:America/Mexico_City utc_offset",
        "  true when     2023-06-01T00:00:00Z",
        "  as known      2022-10-01T00:00:00Z",
        "",
        "-05:00",
        "  valid     2023-04-02T08:00:00Z → 2023-10-29T07:00:00Z",
        "  believed  since 2022-03-16T00:00:00Z",
        "  episode   tzdata/2022.1",
        "  source    tzdata · record-tzdata/2022.1 · file:tzdata/2022.1",
        "  heard     2022-03-16T00:00:00Z as attested · landed 2026-02-01T00:00:00Z",
        "  carries   authoritative · public",
        "",
        f"basis     tenant {graph.tenant} · listener trust>=0 · clearance restricted · "
        "clock attested",
        "          watermark 2026-01-01T00:00:00Z · position 7 · epoch 0 · generation 1 · graph d1",
    ]
    assert "-06:00" in now.stdout
    assert "-05:00" not in now.stdout
    assert "as known      2026-01-01T00:00:00Z" in now.stdout
    assert all(len(line) <= 100 for line in (then.stdout + now.stdout).splitlines())


def test_the_json_says_the_same(run: Run, graph: Handmade) -> None:
    told = run(ZONE, "--valid-at", "2023-06-01", "--known-at", "2022-10-01", "--json")
    record = json.loads(told.stdout)
    assert record.keys() == {"question", "beliefs", "basis", "digest", "support"}
    (belief,) = record["beliefs"]
    assert (belief["object"], belief["recorded_to"], belief["reason"]) == ("-05:00", "∞", None)
    assert belief["evidence"]["episode"] == "tzdata/2022.1"
    assert [one["episode"] for one in record["support"][belief["belief"]]] == ["tzdata/2022.1"]
    assert record["basis"]["known_at"] == "2022-10-01T00:00:00Z"
    assert record["basis"]["tenant"] == graph.tenant


def test_who_has_a_value_two_steps_away(run: Run) -> None:
    told = run("--who", "has_zone/utc_offset=-05:00", "--valid-at", "2023-06-01",
               "--known-at", "2022-10-01")  # fmt: skip
    assert told.stdout.startswith("who has has_zone / utc_offset = -05:00\n")
    assert f"country:MX -has_zone→ {ZONE} -utc_offset→ -05:00" in told.stdout.splitlines()
    nobody = run("--who", "has_zone/utc_offset=-05:00", "--valid-at", "2023-06-01")
    assert "Nothing is known." in nobody.stdout
    record = json.loads(run("--who", f"has_zone={ZONE}", "--json").stdout)
    assert [belief["subject"] for belief in record["beliefs"]] == ["country:MX"]


def test_a_misspelt_name_is_told_from_one_of_which_nothing_is_known(run: Run) -> None:
    at, then = ("--valid-at", "2023-06-01"), ("--known-at", "2022-10-01")
    predicate = run(ZONE, "utc_ofset", *at, *then).stdout
    assert (
        f"Nothing is known.\nBelieved of {ZONE} at 2023-06-01T00:00:00Z: utc_offset." in predicate
    )
    for form in ((), ("utc_offset",), ("utc_offset", "--history"), ("--hops", "2"),
                 ("--to", ZONE), ("--since", "2022-03-17")):  # fmt: skip
        misspelt = run("zone:Mexico", *form, *at, *then).stdout
        assert "Nothing at all is believed of zone:Mexico at 2023-06-01T00:00:00Z" in misspelt
        assert f"believed of {ZONE}" not in misspelt
        assert all(len(line) <= 100 for line in misspelt.splitlines())
    named = run("continent:NA", "name", *at, *then).stdout
    assert "Believed of continent:NA at 2023-06-01T00:00:00Z: nothing, though others name" in named
    before = run(ZONE, "utc_offset", *at, "--known-at", "2022-03-01").stdout
    assert "nothing, though others name it" in before, "what came later shows nowhere"
    assert "believed of" not in run(ZONE, "utc_ofset", *at, *then, "--json").stdout.lower()


def test_what_came_when_and_how_things_hang_together(run: Run) -> None:
    came = run("--episode", "tzdata/2022.6", "--clearance", "public").stdout
    assert "all that came from episode tzdata/2022.6\n  true when     at any time" in came
    assert f"{ZONE} utc_offset = -06:00" in came
    recorded = run("--recorded", "2022-11-01", "2022-11-02", "--json").stdout
    told = json.loads(recorded)
    assert [(b["object"], b["reason"]) for b in told["beliefs"]] == [
        ("-05:00", "corrected"), ("-06:00", None),
    ]  # fmt: skip
    assert told["support"] == {}
    happened = run("--recorded", "2022-11-01", "2022-11-02").stdout
    assert f"{ZONE} utc_offset = -05:00: closed" in happened
    assert f"{ZONE} utc_offset = -06:00: opened" in happened
    both = run("--recorded", "2022-01-01", "2022-11-02").stdout
    assert "utc_offset = -05:00: opened and closed" in both
    earlier = run("--recorded", "2022-01-01", "2022-11-02", "--known-at", "2022-10-01").stdout
    assert "utc_offset = -05:00: opened" in earlier, "what closed it later does not show"
    assert "closed" not in earlier.split("as known")[1]
    linked = run(ZONE, "--to", "continent:NA").stdout
    assert f"{ZONE} ←has_zone- country:MX -part_of→ continent:NA" in linked
    since = run(ZONE, "--since", "2022-10-01", "--valid-at", "2023-06-01").stdout
    assert "utc_offset = -05:00 → -06:00: changed" in since
    assert "\nbasis     tenant " in since
    assert "as known 2022-10-01T00:00:00Z" in since
    ahead = run(ZONE, "--since", "2022-10-01", "--known-at", "2100-01-01").stdout
    assert "basis     tenant" in ahead
    assert "known_at 2100-01-01T00:00:00Z is not published yet" in ahead
    same = run(ZONE, "--since", "2025-01-01", "--valid-at", "2023-06-01").stdout
    assert "Nothing became different." in same
    for mixed in (
        ("--episode", "e", ZONE), ("--recorded", "2022", "2023", "--who", "a=b"),
        (ZONE, "utc_offset", "--to", "x"), (ZONE, "utc_offset", "--since", "2022", "--history"),
    ):  # fmt: skip
        assert run(*mixed).exit_code == EXIT_CODES["input"], mixed


def test_hops_and_history(run: Run) -> None:
    reached = json.loads(run("country:MX", "--hops", "2", "--json").stdout)
    assert {path["end"]: path["length"] for path in reached["paths"]} == {
        ZONE: 1,
        "continent:NA": 1,
    }
    history = run(ZONE, "utc_offset", "--history").stdout
    assert "true when     at any time" in history
    assert "believed  2022-03-16T00:00:00Z → 2022-11-01T00:00:00Z (corrected by st-law)" in history
    assert history.index("-05:00") < history.index("-06:00")


@pytest.mark.parametrize(
    "question",
    [
        (ZONE, "utc_offset"),
        (ZONE, "utc_offset", "--history"),
        ("country:MX", "--hops", "2"),
        ("continent:NA", "--to", ZONE),
        ("--who", "has_zone/utc_offset=-06:00"),
        ("--episode", "tzdata/2022.1"),
        ("--recorded", "2022-01-01", "2023-01-01"),
    ],
)
def test_an_answer_of_any_form_can_be_asked_again(
    run: Run, tmp_path: Path, question: tuple[str, ...]
) -> None:
    """What tells of each verb what its question holds once knew only some of them."""
    file = tmp_path / "answer.json"
    file.write_text(run(*question, "--valid-at", "2024-06-01", "--json").stdout)
    assert json.loads(file.read_text())["beliefs"]
    assert "same      as was told" in run("--basis", str(file)).stdout


def test_nothing_known_is_an_answer(run: Run) -> None:
    for args in (("zone:Nowhere", "utc_offset"), (ZONE, "--known-at", "1999-01-01")):
        told = run(*args)
        assert told.exit_code == 0
        assert "Nothing is known." in told.stdout
        assert "watermark 2026-01-01T00:00:00Z" in told.stdout


def test_known_at_above_the_watermark(run: Run) -> None:
    told = run(ZONE, "--known-at", "2027-01-01")
    assert told.exit_code == 0
    assert "note      known_at 2027-01-01T00:00:00Z is not published yet" in told.stdout
    strict = run(ZONE, "--known-at", "2027-01-01", "--strict", "--json")
    assert strict.exit_code == EXIT_CODES["conflict"]
    assert strict.stdout == ""
    error = json.loads(strict.stderr)["error"]
    assert error["category"] == "conflict"
    assert error["facts"]["watermark"] == "2026-01-01T00:00:00Z"


def test_a_zone_gives_a_bare_date_its_midnight(run: Run) -> None:
    told = run(ZONE, "--valid-at", "2023-06-01", "--zone", "America/Mexico_City", "--json")
    assert json.loads(told.stdout)["basis"]["valid_at"] == "2023-06-01T06:00:00Z"
    assert run(ZONE, "--zone", "Mars/Olympus").exit_code == EXIT_CODES["input"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "nothing is asked"),
        ((ZONE, "--who", "a=b"), "nothing else can be asked with it"),
        ((ZONE, "utc_offset", "--hops", "2"), "SUBJECT alone"),
        ((ZONE, "--history"), "one predicate"),
        (("--who", "utc_offset"), "not a chain"),
        ((ZONE, "--valid-at", "yesterday"), "is not an instant"),
        ((ZONE, "--valid-at", "2023-02-30"), "not a day"),
        ((ZONE, "--valid-at", "2023-06-01T12:00"), "has no offset"),
        ((ZONE, "--listener", "nobody"), "unknown listener"),
        ((ZONE, "--tenant", "no-such-tenant"), "unknown tenant"),
        ((ZONE, "--tenant", "a/b"), "cannot name a tenant"),
        ((ZONE, "--clearance", "cosmic"), "cosmic"),
        ((ZONE, "--hops", "4"), "4"),
    ],
)
def test_wrong_input_is_told_with_its_place(run: Run, args: tuple[str, ...], said: str) -> None:
    told = run(*args)
    assert told.exit_code == EXIT_CODES["input"]
    assert said in told.stderr
    assert "Traceback" not in told.stderr


def test_the_tenant_must_be_named_where_there_are_several(
    run: Run, graph: Handmade, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Handmade(graph.driver, graph.database)
    other.publish(1)
    monkeypatch.delenv("BELIEFGRAPH_TENANT")
    told = run(ZONE)
    assert told.exit_code == EXIT_CODES["input"]
    assert other.tenant in told.stderr
    assert graph.tenant in told.stderr
    assert run(ZONE, "--tenant", graph.tenant).exit_code == 0


def test_a_declared_listener_comes_from_the_ledger(
    run: Run, graph: Handmade, tmp_path: Path
) -> None:
    declared = Listeners((Listener("tzdata only", sources=frozenset({"tzdata"})),))
    ledger = open_ledger(tmp_path, {})
    ledger.define(graph.tenant, "listeners", "listeners", declared.as_record())
    graph.believe("country:MX", "motto", "x", listeners=declared.bit("tzdata only"))
    told = json.loads(run("country:MX", "--listener", "tzdata only", "--json").stdout)
    assert [belief["predicate"] for belief in told["beliefs"]] == ["motto"]


def test_no_server_is_a_clear_error(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NEO4J_URI")
    told = run(ZONE)
    assert told.exit_code == EXIT_CODES["unavailable"]
    assert "beliefgraph up" in told.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size=4", (["size"], "4")),
        ("has_zone/utc_offset=+03:00", (["has_zone", "utc_offset"], "+03:00")),
        ("a/b/c=x=y/z", (["a", "b", "c"], "x=y/z")),
    ],
)
def test_chains(text: str, expected: tuple[list[str], str]) -> None:
    assert chain(text) == expected


@pytest.mark.parametrize("text", ["", "a", "=4", "a=", "a//b=4", "a/b/c/d=4"])
def test_what_is_no_chain(text: str) -> None:
    with pytest.raises(InputError):
        chain(text)
