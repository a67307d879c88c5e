"""What can go wrong in a lake of several tables and writers, each trap with its test."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyiceberg.table
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.expressions import EqualTo
from pyiceberg.types import TimestamptzType

from lakehouse import codec_commits, planning
from lakehouse.catalog import configured, local
from lakehouse.codec_episodes import header_rows
from lakehouse.columns import digest
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.keys import TenantKeys
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConfigurationError, IntegrityError, UnavailableError
from lakehouse.model.ledger import BeliefChanges, Clock
from lakehouse.s3tables import client
from lakehouse.scan import plan
from lakehouse.stamping import Entry, system_clock
from lakehouse.store import Store
from lakehouse.tables import (
    BELIEFS,
    COMMITS,
    EPISODES,
    PAYLOADS,
    QUARANTINE,
    STATEMENTS,
    SUPPORTERS,
    TABLES,
)
from lakehouse.vault.bodies import Kept
from tests.contracts.ledger_values import (
    NOON,
    belief,
    entry_at,
    episode,
    extracted,
    refusal,
)
from tests.contracts.ledger_values import statement as said

ROOT = Path(__file__).parents[2]
KEPT = Kept("none", (), b"")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def opened(home: Path, now: Callable[[], int] = system_clock) -> IcebergLedger:
    return open_ledger(home, {"HOME": str(home)}, now=now)


def catalog_of(home: Path) -> Catalog:
    return local(home / "lake")


# -- the commit row -----------------------------------------------------------------------------


def test_with_retries_both_handles_land_which_is_why_commits_has_none(home: Path) -> None:
    opened(home)
    store = Store(catalog_of(home))
    first, second = store.load(EPISODES), store.load(EPISODES)
    for name, table in (("1", first), ("2", second)):
        table.append(header_rows("t", name, [episode(name)], [KEPT], ["k:d"], NOON))
    assert store.load(EPISODES).scan().to_arrow().num_rows == 2


def test_a_commits_table_with_retries_is_refused(home: Path) -> None:
    opened(home)
    table = catalog_of(home).load_table(("beliefgraph", "commits"))
    with table.transaction() as change:
        change.set_properties({"commit.retry.num-retries": "4"})
    with pytest.raises(IntegrityError, match="must be '0'"):
        opened(home)


@pytest.mark.parametrize("positions", [[2], [1, 1], [1, 3]])
def test_a_gap_or_double_in_the_positions_stops_every_reader(
    home: Path, positions: list[int]
) -> None:
    ledger = opened(home)
    for position in positions:
        Store(catalog_of(home)).append(
            COMMITS, codec_commits.commit_row(entry_at(position, f"b{position}"))
        )
    with pytest.raises(IntegrityError, match="expected position"):
        ledger.commits("t")


# -- what no commit names -----------------------------------------------------------------------


def test_data_rows_without_a_commit_row_are_not_seen(home: Path) -> None:
    ledger = opened(home)

    def never(*_: Any) -> Any:
        raise KeyboardInterrupt

    append = ledger._log.append
    ledger._log.append = never  # type: ignore[method-assign, assignment]
    with pytest.raises(KeyboardInterrupt):
        ledger.land("t", [episode("1")])
    with pytest.raises(KeyboardInterrupt):
        ledger.append_statements("t", extracted(said("s")), clock=Clock.SYSTEM, through=0)
    with pytest.raises(KeyboardInterrupt):
        ledger.append_beliefs("t", BeliefChanges(opened=(belief("b"),)), through=0)
    ledger._log.append = append  # type: ignore[method-assign]
    for reader in (ledger, opened(home)):
        assert reader.commits("t") == [] and reader.tenants() == []
        assert reader.headers("t") == {} and reader.statements("t") == []
        assert reader.beliefs("t") == [] and list(reader.episodes("t", after=0, through=9)) == []
    assert ledger.land("t", [episode("1")]).landed == 1
    assert ledger.payload("t", "1") == b"{}"


def test_asking_the_stores_clock_leaves_no_file_behind(home: Path) -> None:
    opened(home)._store.clock()
    assert not list((home / "lake" / "warehouse").rglob("clock-*"))


# -- settings ----------------------------------------------------------------------------------


def test_a_catalog_that_pyiceberg_is_told_of_is_used(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environ = {
        "PYICEBERG_CATALOG__LAKE__URI": f"sqlite:///{elsewhere}/c.db",
        "PYICEBERG_CATALOG__LAKE__WAREHOUSE": f"file://{elsewhere}/wh",
        "HOME": str(tmp_path),
    }
    home = tmp_path / "home"
    open_ledger(home, environ).land("t", [episode("1")])
    assert (elsewhere / "wh" / "beliefgraph").is_dir() and not (home / "lake").exists()
    assert (home / "keys" / "t.key").is_file()
    environ["PYICEBERG_CATALOG__OTHER__TYPE"] = "rest"
    with pytest.raises(ConfigurationError, match="lake, other"):
        configured(environ)
    environ["PYICEBERG_DEFAULT_CATALOG"] = "other"
    assert configured(environ) == ("other", {"type": "rest"})


def test_the_default_store_needs_no_extra_and_a_missing_one_is_named(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("boto3", "botocore", "pg8000"):
        monkeypatch.setitem(sys.modules, module, None)
    assert opened(home).land("t", [episode("1")]).landed == 1
    for extra, settings in {
        "beliefgraph[aws]": {
            "TYPE": "rest",
            "URI": "http://nowhere",
            "REST__SIGV4_ENABLED": "true",
        },
        "beliefgraph[postgres]": {"TYPE": "sql", "URI": "postgresql+pg8000://nowhere/lake"},
    }.items():
        environ = {f"PYICEBERG_CATALOG__LAKE__{name}": value for name, value in settings.items()}
        with pytest.raises(UnavailableError, match="not installed") as caught:
            open_ledger(home, environ)
        assert extra in caught.value.remedy
    with pytest.raises(UnavailableError, match="boto3") as caught:
        client("us-east-1")
    assert "beliefgraph[aws]" in caught.value.remedy


@pytest.mark.parametrize(
    "settings",
    [
        {"TYPE": "sql", "URI": "postgresql+pg8000://lake:hidden@127.0.0.1:1/lake"},
        {"TYPE": "rest", "URI": "http://127.0.0.1:1", "TOKEN": "hidden"},
    ],
)
def test_a_catalog_that_does_not_answer_is_named_without_its_secrets(
    home: Path, settings: dict[str, str]
) -> None:
    environ = {f"PYICEBERG_CATALOG__LAKE__{name}": value for name, value in settings.items()}
    with pytest.raises(UnavailableError, match="catalog 'lake' cannot be reached") as caught:
        open_ledger(home, environ)
    assert "hidden" not in str(caught.value) and "network" in caught.value.remedy


def test_the_settings_file_counts_below_the_environment(tmp_path: Path) -> None:
    (tmp_path / ".pyiceberg.yaml").write_text(
        "catalog:\n  default:\n    type: rest\n    uri: a\n    s3:\n      region: x\n"
    )
    environ = {"PYICEBERG_HOME": str(tmp_path), "PYICEBERG_CATALOG__DEFAULT__URI": "b"}
    assert configured(environ) == ("default", {"type": "rest", "uri": "b", "s3.region": "x"})
    assert configured({"HOME": "/nowhere"}) is None


# -- how rows lie -------------------------------------------------------------------------------


def test_an_append_does_not_copy_the_tables_metadata_at_every_look(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyIceberg does, every retained snapshot of it, so that appends grew with their number."""
    opened(home)
    store = Store(catalog_of(home))
    worked_out = []
    once = pyiceberg.table.update_table_metadata

    def counted(*given: Any, **more: Any) -> Any:
        worked_out.append(given)
        return once(*given, **more)

    monkeypatch.setattr(pyiceberg.table, "update_table_metadata", counted)
    store.append(EPISODES, header_rows("t", "b", [episode("1")], [KEPT], ["k:d"], NOON))
    ours = len(worked_out)
    store.load(EPISODES).append(header_rows("t", "c", [episode("2")], [KEPT], ["k:d"], NOON))
    assert ours == 0
    assert len(worked_out) - ours > 10
    assert store.load(EPISODES).scan().to_arrow().num_rows == 2


def test_few_subjects_open_few_files_and_undoing_lies_in_the_null_bucket(home: Path) -> None:
    ledger = opened(home)
    rows = extracted(*(said(f"s{n}", subject=f"S{n}") for n in range(400)), said("w", subject=""))
    ledger.append_statements("t", rows, clock=Clock.SYSTEM, through=0)
    table = ledger._store.load(STATEMENTS)
    opened_files = plan(table, EqualTo("subject", "S7"))  # type: ignore[call-arg, arg-type]
    assert len(opened_files) == 1
    assert len(plan(table, EqualTo("tenant", "t"))) == 17  # type: ignore[call-arg, arg-type]
    assert table.scan(row_filter="subject IS NULL").to_arrow().num_rows == 1
    assert len(plan(table, EqualTo("tenant", "u"))) == 0  # type: ignore[call-arg, arg-type]


def test_a_commits_digest_can_be_computed_from_the_rows(home: Path) -> None:
    ledger = opened(home)
    items: list[Episode | Refusal] = [
        episode("1", b"a", tags=("x", "y")),
        episode("2", who="ann"),
        refusal("f:3"),
    ]
    rows = extracted(said("s1", subject="Z", erased=True), said("w", subject="", object=None))
    tightened = belief("b", tightened=((1, 2), (3, 3)))
    changes = BeliefChanges(opened=(tightened, belief("c", subject="A")))
    commits = {
        (PAYLOADS, EPISODES, QUARANTINE): ledger.land("t", items).commits[0],
        (STATEMENTS, QUARANTINE): ledger.append_statements(
            "t", rows, clock=Clock.SYSTEM, through=0
        ),
        (BELIEFS, SUPPORTERS): ledger.append_beliefs("t", changes, through=0),
    }
    key = TenantKeys(home).of("t")
    for specs, commit in commits.items():
        entries = [Entry(commit, 0)]
        tables = [ledger._rows(spec, "t", entries).drop_columns("rank") for spec in specs]
        assert commit.digest == f"{key.key_id}:{digest(key.secret, tables)}"
        assert set(commit.snapshots) == {
            s.name for s, t in zip(specs, tables, strict=True) if t.num_rows
        }


def test_a_data_file_that_is_missing_is_named(home: Path) -> None:
    ledger = opened(home)
    ledger.land("t", [episode("1")])
    (file,) = (home / "lake").rglob("payloads/**/*.parquet")
    file.unlink()
    with pytest.raises(IntegrityError, match="data file that is not there"):
        ledger.payload("t", "1")
    assert set(ledger.headers("t")) == {"1"}


@pytest.mark.parametrize("part", ["payloads/**/*.parquet", "payloads/**/snap-*.avro"])
def test_a_file_that_the_store_does_not_give_is_no_traceback(
    home: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the store itself while a table is read, here: a folder in the file's place."""
    opened(home).land("t", [episode("1")])
    (file,) = (home / "lake").rglob(part)
    ledger = opened(home)
    monkeypatch.setattr(planning, "_LISTS", planning.ReadOnce(1))  # Landing may have read it.
    file.unlink()
    file.mkdir()
    with pytest.raises(UnavailableError, match="does not give a file of table payloads") as caught:
        ledger.payload("t", "1")
    assert "Run again" in caught.value.remedy


def test_tables_are_made_as_the_design_says(home: Path) -> None:
    ledger = opened(home)
    ledger.land("t", [episode("1", b"x" * 100)])
    for name, spec in TABLES.items():
        table = ledger._store.load(spec)
        assert table.metadata.format_version == 2
        stamps = {f.name for f in table.schema().fields if f.field_type == TimestamptzType()}
        assert stamps <= {"landed_at", "recorded_at"}
        assert not stamps or name in {"episodes", "payloads", "commits"}
        limit = "5000" if name == "payloads" else "20000"
        assert table.properties["write.parquet.row-group-limit"] == limit
        assert table.properties["commit.manifest.min-count-to-merge"] == "20"
        assert table.properties["write.metadata.previous-versions-max"] == "10"
        assert table.properties["write.metadata.delete-after-commit.enabled"] == "true"
        assert table.properties["commit.retry.min-wait-ms"] == "50"
        retries = "0" if name in {"commits", "definitions", "publications"} else "20"
        assert table.properties["commit.retry.num-retries"] == retries
    payloads = ledger._store.load(PAYLOADS)
    (task,) = payloads.scan().plan_files()
    body = payloads.schema().find_field("body").field_id
    assert body not in (task.file.lower_bounds or {}) and body not in (task.file.value_counts or {})
