"""`beliefgraph lake`, as an operator types it, over a small lake of two tenants."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lakehouse.catalog import local
from lakehouse.iceberg import open_ledger
from lakehouse.model.episodes import Protection
from lakehouse.model.errors import EXIT_CODES
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import Clock
from lakehouse.stamping import system_clock
from lakehouse.store import Store
from lakehouse.tables import EPISODES
from lakehouse.vault import open_vault
from queries.surfaces.cli import GROUP, Commands
from tests.contracts.ledger_values import episode, extracted, statement

ROOT = Commands(
    "beliefgraph", entry_points=[EntryPoint("lake", "queries.surfaces.lake:lake", GROUP)]
)
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("BELIEFGRAPH_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BELIEFGRAPH_TENANT", raising=False)
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    ledger.land("t", [episode("1")])
    ledger.land("u", [episode("1", tenant="u")])

    def lake(*args: str) -> Result:
        return CliRunner().invoke(ROOT, ["lake", *args])

    return lake


def test_snapshots_are_listed_tagged_and_read(run: Run) -> None:
    assert "episodes           2 snapshots, since 20" in run("snapshots").stdout
    tagged = json.loads(run("tag", "audit", "--json").stdout)
    assert set(tagged["snapshots"]) == {"commits", "episodes", "payloads"}
    listed = run("snapshots", "episodes").stdout.splitlines()
    assert len(listed) == 2
    assert listed[1].endswith("newest, tag audit")
    first = listed[0].split()[0]
    told = json.loads(run("at", first, "episodes", "--tenant", "t", "--json").stdout)
    assert (told["rows"], told["shown"][0]["episode_id"]) == (1, "1")
    assert run("at", first, "episodes", "--tenant", "u").stdout.endswith("0 rows of tenant u\n")
    assert "1 row of tenant u" in run("at", "audit", "payloads", "--tenant", "u").stdout
    assert run("tag", "audit", "--remove").exit_code == 0


def test_rows_of_a_snapshot_tell_instants_as_the_rest_does(run: Run, tmp_path: Path) -> None:
    """They were raw: microseconds, sentinels, and every column that holds nothing."""
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    said = statement("s1", valid_from=0, valid_to=FOREVER)
    ledger.append_statements("t", extracted(said), clock=Clock.SYSTEM, through=1)
    newest = run("snapshots", "statements").stdout.split()[0]
    asked = ("at", newest, "statements", "--tenant", "t")
    row = json.loads(run(*asked).stdout.splitlines()[1])
    assert (row["valid_from"], row["valid_to"]) == ("1970-01-01T00:00:00Z", "∞")
    assert "target" not in row
    (shown,) = json.loads(run(*asked, "--json").stdout)["shown"]
    assert (shown["valid_to"], shown["target"]) == ("∞", None)


def test_a_raw_episode_is_shown_decrypted(run: Run, tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    ann, plain = Protection(subjects=("ann",)), Protection(encrypted=False)
    ledger.land("t", [episode("2", b'{"of":"Ann"}', protection=ann, occurred_at=0, who="bob")])
    ledger.land("t", [episode("3", b"\xff\n", protection=plain)])
    asked = ("episode", "2", "--tenant", "t")
    header, payload = run(*asked).stdout.split("\n\n")
    told = dict(line.split(maxsplit=1) for line in header.replace(" at ", "_at ").splitlines())
    assert (told["who"], told["kept"], told["occurred_at"]) == (
        "bob",
        "encrypted",
        "1970-01-01T00:00:00Z",
    )
    assert payload == '{"of":"Ann"}\n'
    record = json.loads(run(*asked, "--json").stdout)
    assert (record["payload"], record["tenant"]) == ('{"of":"Ann"}', "t")
    assert run(*asked, "--raw").stdout_bytes == b'{"of":"Ann"}'
    other = run("episode", "3", "--tenant", "t", "--json")
    assert json.loads(other.stdout)["payload"] == {"base64": "/wo="}
    assert run("episode", "3", "--tenant", "t", "--raw").stdout_bytes == b"\xff\n"
    open_vault(tmp_path, {}).destroy("t", "ann")
    for more in ((), ("--json",), ("--raw",)):
        gone = run(*asked, *more)
        assert gone.exit_code == EXIT_CODES["erased"]
        assert "the payload of episode '2' was erased" in gone.stderr
        assert "Ann" not in gone.output


def test_what_is_past_its_retention_is_told(run: Run, tmp_path: Path) -> None:
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    (only,) = run("retention", "--tenant", "t").stdout.splitlines()
    assert only.startswith("chat: 1 episode since 20") and ", nothing declared: " in only
    for name, stated in (
        ("sap", {"retention": {"keep": "10 days", "floor": "5 days"}}),
        ("chat", {"retention": {"floor": "1 year"}}),
        ("wiki", {}),
    ):
        ledger.define("t", "source", name, stated)
    ann, now = Protection(subjects=("ann",)), system_clock()
    for days, names in ((11, "ab"), (6, "c"), (0, "d")):
        at = now - days * 86_400_000_000
        made = [episode(name, source="sap", protection=ann if name == "a" else Protection())
                for name in names]  # fmt: skip
        late = open_ledger(tmp_path, {"HOME": str(tmp_path)}, now=lambda at=at: at)
        late.land("t", made)
    open_vault(tmp_path, {}).destroy("t", "ann")
    chat, sap, wiki = run("retention", "--tenant", "t").stdout.splitlines()
    assert chat.startswith("chat: 1 episode since 20") and chat.endswith(
        "kept for ever, at least 366 days: 0 due, 0 past the floor"
    )
    assert sap.startswith("sap: 4 episodes since 20")
    assert sap.endswith("kept 10 days, at least 5 days: 1 due, 2 past the floor")
    assert wiki == "wiki: 0 episodes, kept for ever"
    told = json.loads(run("retention", "--tenant", "t", "--json").stdout)["sources"][1]
    counts = (told["episodes"], told["due"], told["past_floor"], told["keep_days"])
    assert counts == (4, 1, 2, 10)
    assert len(ledger.headers("t")) == 5, "nothing is removed"


def test_sql_sees_one_tenants_rows_at_a_basis(run: Run) -> None:
    asked = ("sql", "SELECT episode_id, media_type, iso(landed_at) AS landed FROM episodes")
    told = run(*asked, "--tenant", "u").stdout.splitlines()
    assert told[0].split() == ["episode_id", "media_type", "landed"]
    assert told[2].startswith("1           application/json  20")
    assert told[3] == "1 row of tenant u, position 2"
    record = json.loads(run(*asked, "--tenant", "u", "--position", "1", "--json").stdout)
    assert record["rows"] == []
    assert record["basis"]["position"] == 1
    assert record["basis"]["snapshots"]["beliefs"] is None
    early = run(*asked, "--tenant", "t", "--known-at", "2001-01-01").stdout.splitlines()
    assert early[-1] == "0 rows of tenant t, position 2, as known 2001-01-01T00:00:00Z"


def test_upkeep_is_told_and_compared(run: Run) -> None:
    dry = run("expire", "--dry-run").stdout.splitlines()
    assert dry[0] == "episodes      0 expired, 2 retained, 0 tagged, 0 untagged"
    assert dry[-1] == "nothing was changed: a dry run"
    done = json.loads(run("compact", "--json").stdout)
    assert (done["dry_run"], done["tables"][0]["files"], done["tables"][0]["merged"]) == (
        False,
        2,
        0,
    )
    assert done["compared"] > 0
    swept = run("sweep").stdout.splitlines()
    assert swept[0] == "episodes      0 torn, 0 unreachable, 0 bytes"
    kept = run("expire").stdout.splitlines()
    assert kept[-1].startswith("same rows and beliefs before and after, ")


def test_what_cannot_be_read_is_told_with_its_remedy(run: Run) -> None:
    for args, said in (
        (("at", "audit", "episodes", "--tenant", "t"), "no snapshot 'audit'"),
        (("at", "2001-01-01", "episodes", "--tenant", "t"), "was empty at 2001-01-01T00:00:00Z"),
        (("at", "2999-01-01", "episodes", "--tenant", "t"), "lies in the future (it is 20"),
        (("sql", "CREATE TABLE x AS SELECT 1", "--tenant", "t"), "only questions are"),
        (("at", "audit", "episodes"), "never read without one"),
        (("at", "audit", "nothing", "--tenant", "t"), "nothing"),
        (("sql", "SELECT nothing", "--tenant", "t"), "DuckDB cannot answer"),
        (("sql", "", "--tenant", "t"), "holds no statement"),
        (("sql", "SELECT 1; SELECT 2", "--tenant", "t"), "holds 2 statements"),
        (("sql", "SELECT 1", "--tenant", "plnt"), "unknown tenant 'plnt'"),
        (("at", "audit", "episodes", "--tenant", "plnt"), "Known ones: t, u."),
        (("sql", "SELECT 1"), "never read without one"),
        (("sweep", "--grace", "1"), "too short"),
        (("episode", "x", "--tenant", "t"), "unknown episode 'x'"),
        (("episode", "x", "--tenant", "plnt"), "unknown tenant 'plnt'"),
        (("retention",), "never read without one"),
        (("expire", "--keep", "3"), "below the floor of 20 snapshots\n  Keep at least 20."),
        (("tag", "a b"), "cannot name a tag"),
    ):
        told = run(*args)
        assert told.exit_code == EXIT_CODES["input"], told
        assert said in told.stderr
        assert "Traceback" not in told.stderr


def test_a_table_that_was_empty_when_tagged_is_told_as_that(run: Run, tmp_path: Path) -> None:
    run("tag", "audit")
    asked = ("at", "audit", "statements", "--tenant", "t")
    empty = "table statements was empty for tenant 't' when tag 'audit' was set"
    assert empty in run(*asked).stderr
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    ledger.append_statements("t", extracted(statement("s1")), clock=Clock.SYSTEM, through=1)
    told = run(*asked)
    assert empty in told.stderr and told.exit_code == EXIT_CODES["input"]
    store = Store(local(tmp_path / "lake"))
    store.load(EPISODES).manage_snapshots().remove_tag("audit").commit()
    cut_off = run("at", "audit", "episodes", "--tenant", "t")
    assert "it never had, or it has expired" in cut_off.stderr
