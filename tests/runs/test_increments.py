"""A live tenant, batch after batch through the whole line: each leaves the graph exactly right.

Every operation arrives in a batch of its own, on the system's clock; after each the graph is
asked at every boundary and compared with the replay of the lake's own statements.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from dagster import DagsterInstance
from neo4j import Driver

from graph.drop import drop
from graph.server import Connection
from graph.verify import verify
from graph.verify_last import verify_last
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.model.errors import EXIT_CODES, IntegrityError
from lakehouse.model.instants import ALWAYS, UNTIL_CHANGED
from lakehouse.model.ledger import Stage
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import PAINTING
from pipelines.commands import run_line
from pipelines.extract.loading import load
from pipelines.nightly import graph_proof
from pipelines.resources import Graph, Lake, Narrator
from pipelines.runs import LandConfig, Ran
from queries.engine import Question
from queries.memory import Memory
from queries.surfaces.cli import GROUP, Commands
from tests.home import Home, home_at
from tests.reference import believed

TENANT = "increments"
ROOT = Commands(
    "beliefgraph",
    entry_points=[EntryPoint("verify", "pipelines.verification:verify_command", GROUP)],
)
SOURCE = """
source: log
tenant: increments
feed: events
files: [log.jsonl]
episode: {id: id, trust: {path: trust}, classification: {path: "level || 'public'"}}
predicates:
  state: {cardinality: one, object: string, subject_type: thing}
  tags: {cardinality: many, object: string, subject_type: thing}
statements:
  - for_each: says
    op: {path: "op || 'assert'"}
    subject: s
    predicate: {path: p}
    object: o
    valid_from: from
    valid_to: to
    target: target
    trust: {path: trust}
    classification: {path: level}
"""
MOST = 1_500
"""Questions after each batch; a seeded sample of all boundaries where there are more."""
CARDINALITY = {"state": Cardinality.ONE, "tags": Cardinality.MANY}
BATCHES: list[list[dict[str, Any]]] = [
    [
        {"id": "a", "trust": "reported", "says": [
            {"s": "S", "p": "state", "o": "X", "from": "2020-01-01"},
            {"s": "S", "p": "tags", "o": "red", "from": "2020-01-01"},
            {"s": "T", "p": "state", "o": "X", "from": "2020-01-01", "to": "2024-01-01"}]},
        {"id": "b", "trust": "unverified", "says": [
            {"s": "S", "p": "state", "o": "Y", "from": "2021-01-01", "to": "2022-01-01"}]},
    ],
    [{"id": "c", "trust": "verified", "says": [
        {"s": "S", "p": "state", "o": "X", "from": "2020-06-01"},
        {"s": "T", "p": "state", "o": "Z", "from": "2022-01-01", "to": "2023-01-01"}]}],
    [{"id": "d", "trust": "reported", "says": [{"op": "end", "s": "S", "p": "tags",
                                                "from": "2023-01-01"}]}],
    [{"id": "e", "trust": "reported", "says": [{"op": "withdraw", "target": "b"}]}],
    [{"id": "f", "trust": "verified", "says": [
        {"op": "mark", "target": "c", "level": "restricted"},
        {"op": "mark", "target": "a", "trust": "authoritative"}]}],
    [{"id": "g", "trust": "reported", "says": [
        {"op": "retract", "s": "T", "p": "state", "from": "2020-03-01", "to": "2020-04-01"}]}],
    [{"id": "h", "trust": "reported", "says": [{"op": "withdraw", "target": "e"}]}],
    [{"id": "i", "trust": "reported", "says": [{"op": "erase", "target": "a#1"}]}],
    [{"id": "j", "trust": "reported", "says": [
        {"s": "S", "p": "state", "o": "W", "from": "2019-01-01", "to": "2019-02-01"}]}],
]  # fmt: skip


class Live:
    """The tenant's home, line and graph."""

    def __init__(self, home: Home, driver: Driver, connection: Connection) -> None:
        self.home, self.driver, self.database = home, driver, connection.database
        folder = home.path / "sources"
        folder.mkdir(parents=True)
        (folder / "log.yaml").write_text(SOURCE)
        self.declared = load(folder / "log.yaml")

    def ledger(self) -> IcebergLedger:
        return open_ledger(self.home.path, self.home.environ)

    def run(self, records: list[dict[str, Any]], *, rebuild: bool = False) -> Ran:
        file = self.home.path / "batch.jsonl"
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
        with self.home.entered():
            return run_line(
                TENANT,
                {"log": self.declared},
                {"log": LandConfig(files=[str(file)])},
                rebuild=rebuild,
                echo=False,
            )

    def wrong(self) -> tuple[int, list[str]]:
        """How many questions were asked, and which the graph answers otherwise than replay."""
        told = self.ledger().statements(TENANT)
        bounds = {
            bound + step
            for s in told
            if s.op in PAINTING
            for bound in (s.valid_from, s.valid_to)
            if ALWAYS < bound < UNTIL_CHANGED
            for step in (-1, 0)
        }
        known = {s.recorded_at + step for s in told for step in (-1, 0)}
        asked = [
            (rule, Question(subject, predicate, v, k, rule.name))
            for subject in ("S", "T")
            for predicate in CARDINALITY
            for v in sorted(bounds)
            for k in sorted(known)
            for rule in Listeners().rules[:3]
        ]
        asked = random.Random(len(told)).sample(asked, min(len(asked), MOST))
        memory = Memory(self.driver, self.database)
        replies = memory.believed(TENANT, [q for _, q in asked], clearance="restricted")
        bad = []
        for (rule, q), reply in zip(asked, replies, strict=True):
            kind = CARDINALITY[q.predicate]
            expected = believed(told, kind, q.entity, q.predicate, q.valid_at, q.known_at, rule)
            if dict(reply.values) != expected:
                bad.append(f"{q} gives {reply.values}, not {expected}")
        return len(asked), bad


@pytest.fixture(scope="module")
def live(
    tmp_path_factory: pytest.TempPathFactory,
    neo4j_driver: Driver,
    neo4j_connection: Connection,
) -> Iterator[Live]:
    home = home_at(tmp_path_factory.mktemp("increments"), neo4j_connection)
    yield Live(home, neo4j_driver, neo4j_connection)
    drop(neo4j_driver, neo4j_connection.database, TENANT)


@pytest.mark.parametrize("number", range(len(BATCHES)))
def test_after_each_batch_every_boundary_is_right(live: Live, number: int) -> None:
    ran = live.run(BATCHES[number])
    assert ran.total("landed") == len(BATCHES[number])
    assert ran.total("refused") == 0
    ledger, graph = live.ledger(), (live.driver, live.database, TENANT)
    digest = ledger.publications(TENANT)[-1].digest
    last = verify_last(ledger, *graph)
    assert (last.entities, last.digest) == (0, digest), "the run has verified all that it did"
    assert verify(ledger, *graph).digest == digest, "moved by difference, and right"
    asked, bad = live.wrong()
    assert asked > 100 * (number + 1) / 2, ran
    assert not bad, bad[:3]


def test_the_erased_value_is_in_no_node_of_the_graph(live: Live) -> None:
    found, _, _ = live.driver.execute_query(
        "MATCH (v:Value {tenant: $tenant}) RETURN collect(v.text) AS texts",
        tenant=TENANT,
        database_=live.database,
    )
    assert "Y" in found[0]["texts"], "what was not erased stays"
    edges, _, _ = live.driver.execute_query(
        "MATCH ()-[r:ATTRIBUTE {tenant: $tenant, origin: 'a#1'}]->(v) RETURN v.text AS text",
        tenant=TENANT,
        database_=live.database,
    )
    assert {edge["text"] for edge in edges} <= {"<erased>"}


def test_a_second_run_changes_nothing(live: Live) -> None:
    before = live.ledger().publications(TENANT)
    ran = live.run([record for batch in BATCHES for record in batch])
    assert (ran.total("landed"), ran.total("statements"), ran.total("edges_opened")) == (0, 0, 0)
    assert ran.total("duplicates") == sum(map(len, BATCHES))
    after = live.ledger().publications(TENANT)
    assert after[-1].digest == before[-1].digest
    assert after[-1].watermark > before[-1].watermark, "nothing was heard until the run began"


def test_a_rebuild_comes_back_identical(live: Live) -> None:
    before = verify(live.ledger(), live.driver, live.database, TENANT)
    live.run([], rebuild=True)
    after = verify(live.ledger(), live.driver, live.database, TENANT)
    assert after.equal
    assert after.digest == before.digest
    assert live.wrong()[1] == []


def tampered(live: Live) -> None:
    live.driver.execute_query(
        "MATCH ()-[r:ATTRIBUTE {tenant: $tenant}]->() WITH r LIMIT 1 SET r.trust = r.trust + 1",
        tenant=TENANT,
        database_=live.database,
    )


def test_a_tampered_graph_is_found_at_night_and_not_published_before_it_is_mended(
    live: Live,
) -> None:
    tampered(live)
    published = live.ledger().publications(TENANT)
    with live.home.entered():
        night = graph_proof.execute_in_process(
            resources={"lake": Lake(), "graph_": Graph(), "narrator": Narrator()},
            raise_on_error=False,
            instance=DagsterInstance.ephemeral(),
        )
    assert not night.success
    with pytest.raises(IntegrityError, match="does not equal the lake"):
        live.run([])
    assert live.ledger().publications(TENANT) == published
    live.run([], rebuild=True)
    assert live.ledger().publications(TENANT)[-1].digest == published[-1].digest
    assert live.wrong()[1] == []


def test_the_command_names_what_is_wrong_and_mends_it(live: Live) -> None:
    with live.home.entered():
        good = CliRunner().invoke(ROOT, ["verify", TENANT, "--last"])
        assert (good.exit_code, "0 entities touched: all equal" in good.stdout) == (0, True)
        tampered(live)
        named = CliRunner().invoke(ROOT, ["verify", TENANT, "--json"])
        assert named.exit_code == EXIT_CODES["integrity"]
        told = json.loads(named.stdout)
        (one,) = told["named"]
        assert (told["equal"], told["differences"], one["kind"]) == (False, 1, "altered")
        assert "trust is" in one["where"]
        mended = CliRunner().invoke(ROOT, ["verify", TENANT, "--repair"])
        assert mended.exit_code == 0
        assert mended.stdout.splitlines()[0].split()[:2] == ["altered", one["belief_id"]]
        again = json.loads(
            CliRunner().invoke(ROOT, ["verify", TENANT, "--repair", "--json"]).stdout
        )
        assert (again["equal"], again["repaired"]) == (True, False)
        for wrong in (["nobody"], [TENANT, "--repair", "--last"]):
            refused = CliRunner().invoke(ROOT, ["verify", *wrong])
            assert refused.exit_code == EXIT_CODES["input"]
    assert live.wrong()[1] == []


def test_the_command_tells_what_the_graph_does_not_hold(
    live: Live, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise RuntimeError("stopped")

    says = [{"s": "S", "p": "state", "o": "U", "from": "2017-01-01", "to": "2017-02-01"}]
    with monkeypatch.context() as patched, pytest.raises(RuntimeError, match="stopped"):
        patched.setattr("pipelines.assets.catch_up", stopped)
        live.run([{"id": "late", "trust": "reported", "says": says}])
    newest = live.ledger().commits(TENANT, stage=Stage.BELIEVE)[-1].position
    with live.home.entered():
        behind = CliRunner().invoke(ROOT, ["verify", TENANT])
        assert (behind.exit_code, "all equal" in behind.stdout) == (0, True)
        assert f"the lake's beliefs at {newest}: `beliefgraph run {TENANT}`" in behind.stdout
        told = json.loads(CliRunner().invoke(ROOT, ["verify", TENANT, "--json"]).stdout)
        assert told["position"] < told["waits"] == newest
        drop(live.driver, live.database, TENANT)
        for asked in (["--full"], ["--last"], ["--repair"]):
            empty = CliRunner().invoke(ROOT, ["verify", TENANT, *asked])
            assert (empty.exit_code, empty.stdout) == (EXIT_CODES["unavailable"], "")
            assert f"nothing of '{TENANT}' is in the graph" in empty.stderr
    live.run([])
    assert live.wrong()[1] == []


def test_what_is_refused_is_kept_and_the_rest_goes_on(live: Live) -> None:
    file = live.home.path / "broken.jsonl"
    good = {
        "id": "k",
        "trust": "reported",
        "says": [{"s": "S", "p": "state", "o": "V", "from": "2018-01-01", "to": "2018-02-01"}],
    }
    inverted = {
        "id": "l",
        "trust": "reported",
        "says": [{"s": "S", "p": "state", "o": "V", "from": "2018-02-01", "to": "2018-01-01"}],
    }
    other = BATCHES[0][0] | {"trust": "verified"}
    lines = ["{broken", json.dumps(good), json.dumps(inverted), json.dumps(other)]
    file.write_text("\n".join(lines) + "\n")
    with live.home.entered():
        ran = run_line(
            TENANT, {"log": live.declared}, {"log": LandConfig(files=[str(file)])}, echo=False
        )
    assert ran.total("refused") == 3
    kept = {one.location: one for one in live.ledger().quarantined(TENANT)}
    assert kept["broken.jsonl:1"].stage == "land"
    assert "valid_to" in kept["broken.jsonl:3"].field
    assert kept["broken.jsonl:4"].field == "episode_id"
    assert live.wrong()[1] == []
    assert os.environ.get("BELIEFGRAPH_HOME") != str(live.home.path)


def test_the_sources_file_is_named_where_it_is_wrong(live: Live, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(SOURCE.replace("cardinality: many", "cardinality: several"))
    with pytest.raises(Exception, match=r"wrong\.yaml.*tags\.cardinality"):
        load(wrong)
