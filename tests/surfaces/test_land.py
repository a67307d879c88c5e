"""`beliefgraph land` and `run`, as a newcomer types them, before any server is there."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from graph import server
from lakehouse.model.errors import EXIT_CODES
from queries.surfaces.cli import GROUP, Commands

VERBS = ("land", "run")
ROOT = Commands(
    "beliefgraph", entry_points=[EntryPoint(v, f"pipelines.commands:{v}", GROUP) for v in VERBS]
)
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(tmp_path))
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return lambda *args: CliRunner().invoke(ROOT, args)


def test_a_landing_says_once_what_it_did(run: Run) -> None:
    first = run("land", "plant")
    assert first.stdout == "28 episodes landed\n"
    assert first.stderr == ""
    again = run("land", "plant")
    assert (again.stdout, again.stderr) == ("nothing new: 28 duplicates\n", "")


def test_an_unknown_source_is_told_what_can_be_done(run: Run, tmp_path: Path) -> None:
    """It said `or give its path`, and that path was refused."""
    unknown = run("land", "nothing")
    assert unknown.exit_code == EXIT_CODES["input"]
    assert f"Put the YAML of a new one into {tmp_path / 'sources'}." in unknown.stderr
    elsewhere = tmp_path / "own.yaml"
    elsewhere.write_text(
        "source: own\ntenant: mine\nfeed: events\nfiles: [own.jsonl]\nepisode: {id: id}\n"
        "predicates: {p: {cardinality: one, object: string, subject_type: thing}}\n"
        "statements: [{subject: s, predicate: p, object: o}]\n"
    )
    by_path = run("land", str(elsewhere))
    assert by_path.exit_code == EXIT_CODES["input"]
    assert f"Copy the YAML into {tmp_path / 'sources'}" in by_path.stderr
    (tmp_path / "sources").mkdir()
    elsewhere.rename(tmp_path / "sources" / "own.yaml")
    (tmp_path / "sources" / "own.jsonl").write_text('{"id": "1", "s": "a", "o": "b"}\n')
    assert run("land", "own").stdout == "1 episode landed\n"


def test_a_store_that_is_down_is_told_before_any_server_starts(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*_: object, **__: object) -> None:
        raise AssertionError("Neo4j was started for nothing")

    monkeypatch.setattr(server, "up", started)
    for name, value in {
        "TYPE": "rest",
        "URI": "http://127.0.0.1:9",
        "WAREHOUSE": "s3://nowhere",
    }.items():
        monkeypatch.setenv(f"PYICEBERG_CATALOG__LAKE__{name}", value)
    told = run("run", "plant")
    assert told.exit_code == EXIT_CODES["unavailable"]
    assert "cannot be reached" in told.stderr
