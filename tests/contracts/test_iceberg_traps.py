"""What can go wrong in a lake of several tables and writers, each trap with its test."""

from __future__ import annotations

import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyiceberg.table
import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import CommitFailedException, CommitStateUnknownException
from pyiceberg.expressions import EqualTo
from pyiceberg.types import TimestamptzType

from lakehouse import codec_commits
from lakehouse.catalog import configured, local
from lakehouse.codec_episodes import header_rows
from lakehouse.columns import digest
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.keys import TenantKeys
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import ConfigurationError, ConflictError, IntegrityError
from lakehouse.model.ledger import BeliefChanges, Clock, Stage
from lakehouse.scan import plan
from lakehouse.stamping import Draft, Entry, enter, system_clock
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
from tests.contracts.ledger_values import (
    HOUR,
    NOON,
    TurnedClock,
    belief,
    episode,
    extracted,
    refusal,
)
from tests.contracts.ledger_values import statement as said

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def opened(home: Path, now: Callable[[], int] = system_clock) -> IcebergLedger:
    return open_ledger(home, {"HOME": str(home)}, now=now)


def catalog_of(home: Path) -> Catalog:
    return local(home / "lake")


def _entry(position: int, batch: str) -> Entry:
    draft = Draft(tenant="t", stage=Stage.LAND, batch_id=batch)
    made = enter([], draft, lambda: NOON + position, system_clock)
    object.__setattr__(made.commit, "position", position)
    return made


# -- the commit row -----------------------------------------------------------------------------


@pytest.mark.parametrize("rows_before", [0, 1])
def test_of_two_stale_handles_one_commit_row_lands(home: Path, rows_before: int) -> None:
    opened(home)
    store = Store(catalog_of(home))
    for position in range(rows_before):
        store.append(COMMITS, codec_commits.commit_row(_entry(position + 1, "before")))
    first, second = store.load(COMMITS), store.load(COMMITS)
    first.append(codec_commits.commit_row(_entry(rows_before + 1, "first")))
    with pytest.raises(CommitFailedException):
        second.append(codec_commits.commit_row(_entry(rows_before + 1, "second")))
    assert len(opened(home).commits("t")) == rows_before + 1


def test_with_retries_both_handles_land_which_is_why_commits_has_none(home: Path) -> None:
    opened(home)
    store = Store(catalog_of(home))
    first, second = store.load(EPISODES), store.load(EPISODES)
    for name, table in (("1", first), ("2", second)):
        table.append(header_rows("t", name, [episode(name)], ["k:d"], NOON))
    assert store.load(EPISODES).scan().to_arrow().num_rows == 2


def test_the_loser_is_stamped_anew_and_keeps_its_data_rows(home: Path) -> None:
    clock = TurnedClock()
    ours, theirs = opened(home, clock), opened(home, clock)
    append = ours._log.append

    def beaten(draft: Draft, admit: Any) -> Any:
        def admit_late(entries: Any) -> None:
            admit(entries)
            if len(entries) < 2:
                theirs.land("u", [episode(f"first-{len(entries)}", tenant="u")])

        return append(draft, admit_late)

    ours._log.append = beaten  # type: ignore[method-assign]
    commit = ours.land("t", [episode("1")]).commits[0]
    assert (commit.position, commit.recorded_at) == (3, NOON + 2)
    snapshot = Store(catalog_of(home)).load(EPISODES).snapshot_by_id(commit.snapshots["episodes"])
    assert snapshot is not None
    rows = Store(catalog_of(home)).load(EPISODES).scan(row_filter="tenant == 't'").to_arrow()
    assert rows.num_rows == 1


def test_an_answer_that_got_lost_does_not_double_the_commit(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = opened(home)
    catalog = ledger._store._catalog
    commit_table = catalog.commit_table

    def silent(table: Any, requirements: Any, updates: Any) -> Any:
        answer = commit_table(table, requirements, updates)
        if table.name()[-1] == COMMITS.name:
            monkeypatch.undo()
            raise CommitStateUnknownException("the connection broke")
        return answer

    monkeypatch.setattr(catalog, "commit_table", silent)
    commit = ledger.land("t", [episode("1")]).commits[0]
    assert opened(home).commits("t") == [commit]


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
            COMMITS, codec_commits.commit_row(_entry(position, f"b{position}"))
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


_KILLED = """
    import os, sys
    from pathlib import Path
    from lakehouse.iceberg import open_ledger
    from lakehouse.store import Store
    from tests.contracts.ledger_values import episode, refusal

    steps = int(sys.argv[2])
    append, decide = Store.append, Store.decide

    def step():
        global steps
        if steps == 0:
            os._exit(9)
        steps -= 1

    Store.append = lambda *given: (step(), append(*given))[1]
    Store.decide = lambda *given: (step(), decide(*given))[1]
    ledger = open_ledger(Path(sys.argv[1]), {})
    ledger.land("t", [episode("1"), episode("2"), refusal("f:3")])
    os._exit(0 if steps == 0 else 1)
"""


def test_a_process_killed_at_any_step_leaves_all_or_nothing(home: Path) -> None:
    opened(home)
    for steps in range(4):
        assert _run(_KILLED, home, steps).wait() == 9
        ledger = opened(home)
        assert ledger.commits("t") == [] and ledger.headers("t") == {}
        assert ledger.quarantined("t") == []
    assert _run(_KILLED, home, 4).wait() == 0
    ledger = opened(home)
    assert len(ledger.commits("t")) == 1 and set(ledger.headers("t")) == {"1", "2"}
    assert [len(batch) for batch in ledger.episodes("t", after=0, through=1)] == [2]
    assert len(ledger.quarantined("t")) == 1


# -- several writers ----------------------------------------------------------------------------

_WRITER = """
    import sys
    from pathlib import Path
    from lakehouse.iceberg import open_ledger
    from lakehouse.model.ledger import Clock
    from tests.contracts.ledger_values import episode, extracted, statement

    home, writer = Path(sys.argv[1]), sys.argv[2]
    ledger = open_ledger(home, {})
    for turn in range(4):
        own = [episode(f"{writer}-{turn}-{n}") for n in range(5)]
        ledger.land("t", [*own, *(episode(f"common-{turn}-{n}") for n in range(5))])
        said = extracted(*(statement(f"{writer}-{turn}-{n}") for n in range(5)))
        ledger.append_statements("t", said, clock=Clock.SYSTEM, through=0)
"""


def test_writers_at_once_lose_nothing_and_double_nothing(home: Path) -> None:
    processes = [_run(_WRITER, home, writer) for writer in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    ledger = opened(home)
    commits = ledger.commits("t")
    assert [c.position for c in commits] == list(range(1, 25))
    stamps = [c.recorded_at for c in commits]
    assert stamps == sorted(set(stamps))
    landed = [e.episode_id for b in ledger.episodes("t", after=0, through=99) for e in b]
    own = {f"{w}-{t}-{n}" for w in range(3) for t in range(4) for n in range(5)}
    common = {f"common-{t}-{n}" for t in range(4) for n in range(5)}
    assert len(landed) == len(set(landed)) and set(landed) == own | common
    statements = ledger.statements("t")
    assert {s.statement_id for s in statements} == own
    assert [s.seq for s in statements] == list(range(60))
    assert [s.order for s in statements] == sorted(s.order for s in statements)
    assert sum(c.counts["episodes"] for c in commits if c.stage is Stage.LAND) == 80
    assert ledger.quarantined("t") == []


def _run(script: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)], cwd=ROOT
    )


def test_believing_twice_at_once_records_once(home: Path) -> None:
    slow, fast = opened(home), opened(home)
    changes = BeliefChanges(opened=(belief("b"),))
    append = slow._log.append

    def beaten(draft: Draft, admit: Any) -> Any:
        fast.append_beliefs("t", changes, through=1)
        return append(draft, admit)

    slow._log.append = beaten  # type: ignore[method-assign]
    with pytest.raises(ConflictError, match="gone through position 1"):
        slow.append_beliefs("t", changes, through=1)
    assert opened(home).beliefs("t") == [belief("b")]


# -- clocks -------------------------------------------------------------------------------------


def test_a_clock_that_jumps_ahead_alone_is_refused(home: Path) -> None:
    clock = TurnedClock(system_clock())
    ledger = opened(home, clock)
    ledger.land("t", [episode("1")])
    clock.instant += 2 * HOUR
    with pytest.raises(ConflictError, match="the store's own clock"):
        ledger.land("t", [episode("2")])
    assert set(opened(home).headers("t")) == {"1"}
    clock.instant -= 2 * HOUR
    assert ledger.land("t", [episode("2")]).landed == 1


def test_a_clock_that_the_store_agrees_with_may_jump(home: Path) -> None:
    clock = TurnedClock(NOON)
    ledger = opened(home, clock)
    ledger.land("t", [episode("1")])
    clock.instant += 1000 * HOUR
    assert ledger.land("t", [episode("2")]).commits[0].recorded_at == clock.instant


def test_a_clock_that_steps_back_still_rises(home: Path) -> None:
    clock = TurnedClock(NOON)
    ledger = opened(home, clock)
    ledger.land("t", [episode("1")])
    clock.instant -= 50 * HOUR
    assert ledger.land("t", [episode("2")]).commits[0].recorded_at == NOON + 1


def test_the_stores_clock_is_the_time_of_a_file_just_written(home: Path) -> None:
    store = opened(home)._store
    assert abs(store.clock() - system_clock()) < HOUR
    assert not list((home / "lake" / "warehouse").rglob("clock/*"))


# -- keys and settings --------------------------------------------------------------------------


def test_a_lost_key_is_told_from_other_content(home: Path) -> None:
    opened(home).land("t", [episode("1")])
    (key,) = (home / "keys").iterdir()
    assert (key.name, stat.S_IMODE(key.stat().st_mode)) == ("t.key", 0o600)
    assert TenantKeys(home).of("t") == TenantKeys(home).of("t")
    key.unlink()
    with pytest.raises(IntegrityError, match="digests were made with key"):
        opened(home).land("t", [episode("1")])
    key.write_bytes(b"short")
    with pytest.raises(ConfigurationError, match="holds 5 bytes"):
        opened(home).land("t", [episode("1")])


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
    store.append(EPISODES, header_rows("t", "b", [episode("1")], ["k:d"], NOON))
    ours = len(worked_out)
    store.load(EPISODES).append(header_rows("t", "c", [episode("2")], ["k:d"], NOON))
    assert ours <= 2
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


def test_tables_are_made_as_the_design_says(home: Path) -> None:
    ledger = opened(home)
    ledger.land("t", [episode("1", b"x" * 100)])
    for name, spec in TABLES.items():
        table = ledger._store.load(spec)
        assert table.metadata.format_version == 2
        stamps = {f.name for f in table.schema().fields if f.field_type == TimestamptzType()}
        assert stamps <= {"landed_at", "recorded_at"}
        assert not stamps or name in {"episodes", "payloads", "commits"}
        assert table.properties["write.parquet.row-group-limit"] == "20000"
        assert table.properties["commit.manifest.min-count-to-merge"] == "20"
        assert table.properties["write.metadata.previous-versions-max"] == "10"
        retries = "0" if name in {"commits", "definitions", "publications"} else "20"
        assert table.properties["commit.retry.num-retries"] == retries
    payloads = ledger._store.load(PAYLOADS)
    (task,) = payloads.scan().plan_files()
    body = payloads.schema().find_field("body").field_id
    assert body not in (task.file.lower_bounds or {}) and body not in (task.file.value_counts or {})
