"""What was measured of PyIceberg and Parquet, and would bite again without a word.

The design's section on the lake names the traps; here each is seen, and what we do about it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import chain, count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.expressions import EqualTo, GreaterThan
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, TimestamptzType

from lakehouse.catalog import local
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.maintenance import expire as expiring
from lakehouse.maintenance.compact import compact
from lakehouse.maintenance.expire import KEEP, expire
from lakehouse.model.errors import IntegrityError
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges, Clock
from lakehouse.scan import plan
from lakehouse.snapshots import kept
from lakehouse.stamping import system_clock
from lakehouse.tables import DEFINITIONS, EPISODES, PAYLOADS, STATEMENTS, TABLES
from tests.contracts.ledger_values import (
    NOON,
    TurnedClock,
    belief,
    episode,
    extracted,
    refusal,
    statement,
    support,
)

BOUNDS = {"valid_from", "valid_to", "recorded_from", "recorded_to", "watermark", "ledger_to"}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path: Path) -> IcebergLedger:
    return open_ledger(tmp_path, {"HOME": str(tmp_path)}, now=TurnedClock())


def files(tmp_path: Path, table: str, pattern: str) -> list[Path]:
    return sorted((tmp_path / "lake" / "warehouse" / "beliefgraph" / table).rglob(pattern))


# -- versions -----------------------------------------------------------------------------------


def test_nothing_asks_for_s3fs_which_brings_an_older_library_silently() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    (iceberg,) = (one for one in asked if one.startswith("pyiceberg["))
    assert iceberg.endswith(">=0.12,<0.13") and version("pyiceberg").startswith("0.12.")
    assert not any("s3fs" in one or "adlfs" in one or "gcsfs" in one for one in asked)
    with pytest.raises(PackageNotFoundError):
        version("s3fs")
    for lock in (ROOT / "infra").glob("*.lock"):
        assert "\ns3fs==" not in lock.read_text() and "]==0.12." in lock.read_text()


def test_duckdb_is_the_version_that_its_iceberg_wheels_are_made_for() -> None:
    names = ("duckdb", "duckdb-extension-iceberg", "duckdb-extension-avro")
    assert len({version(name) for name in names}) == 1
    text = (ROOT / "pyproject.toml").read_text()
    assert all(f'"{name}=={version(name)}"' in text for name in names)


# -- snapshots ----------------------------------------------------------------------------------


def test_a_snapshots_time_is_no_recorded_instant(ledger: IcebergLedger) -> None:
    commit = ledger.land("t", [episode("1")]).commits[0]
    assert commit.recorded_at == NOON
    assert kept(ledger._store.load(EPISODES))[-1].made_at > NOON + 365 * 86_400_000_000


def test_the_librarys_incremental_scan_passes_over_rewritten_rows_and_positions_do_not(
    ledger: IcebergLedger,
) -> None:
    store, said = ledger._store, []
    for number in range(4):
        rows = extracted(statement(f"s{number}"))
        said.append(ledger.append_statements("t", rows, clock=Clock.SYSTEM, through=number + 1))
        if number == 2:
            compact(store, [STATEMENTS], least=2)
    table = store.load(STATEMENTS)
    (merged,) = (one for one in kept(table) if one.operation == "overwrite")
    scan = table.incremental_append_scan(
        from_snapshot_id_exclusive=merged.parent_id, to_snapshot_id_inclusive=merged.snapshot_id
    )
    assert (merged.rows, merged.files, list(scan.plan_files())) == (3, 1, [])
    found = ledger.statements("t", after=said[0].position)
    assert [one.statement_id for one in found] == ["s1", "s2", "s3"]


def test_appends_stay_flat_because_snapshots_expire(
    ledger: IcebergLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each append writes all of the table's metadata, every retained snapshot of it."""
    assert (KEEP, TABLES["commits"].table_properties["commit.retry.num-retries"]) == (100, "0")
    monkeypatch.setattr(expiring, "LEAST", 2)

    numbers = count()

    def written(versions: int) -> int:
        for _ in range(versions):
            ledger.define("t", "source", "s", {"n": next(numbers)})
        newest = ledger._store.load(DEFINITIONS).metadata_location
        return Path(newest.removeprefix("file://")).stat().st_size

    few, many = written(3), written(12)
    assert many > few + 11 * 500
    rows = files(tmp_path, "definitions", "*.parquet")
    expire(ledger._store, now=system_clock(), keep=2)
    assert written(1) < (few + many) / 2
    assert len(files(tmp_path, "definitions", "*.metadata.json")) <= 11, "old ones are deleted"
    assert set(rows) < set(files(tmp_path, "definitions", "*.parquet")), "the library deletes none"


def test_rows_that_another_program_took_or_doubled_are_missed(ledger: IcebergLedger) -> None:
    """The lake is append-only for us; a delete by another engine rewrites a file without a word."""
    ledger.land("t", [episode("1"), episode("2"), refusal("f:3")])
    said = extracted(statement("s1"), statement("s2"))
    ledger.append_statements("t", said, clock=Clock.SYSTEM, through=1)
    opened = BeliefChanges(opened=(belief("b"),), supports_opened=(support("x"),))
    ledger.append_beliefs("t", opened, through=2)
    reads: dict[str, Callable[[], object]] = {
        "payloads": lambda: list(ledger.episodes("t", after=0, through=9)),
        "episodes": lambda: ledger.headers("t"),
        "statements": lambda: ledger.statements("t"),
        "beliefs": lambda: ledger.beliefs("t"),
        "supporters": lambda: ledger.supports("t"),
        "quarantine": lambda: ledger.quarantined("t"),
    }
    for name, read in reads.items():
        table = ledger._store.load(TABLES[name])
        row = table.scan().to_arrow().slice(0, 1)
        assert read()
        ledger._store.append(TABLES[name], row.cast(TABLES[name].arrow))
        with pytest.raises(IntegrityError, match=f"table {name} holds . rows of positions"):
            read()
        table = ledger._store.load(TABLES[name])
        table.delete(f"ordinal == {row['ordinal'][0]}")
        with pytest.raises(IntegrityError, match=f"table {name} holds . rows of positions"):
            read()


# -- how rows lie -------------------------------------------------------------------------------


def test_an_open_end_overflows_a_timestamps_statistics_and_no_longs(tmp_path: Path) -> None:
    (tmp_path / "lake").mkdir()
    catalog = local(tmp_path / "lake")
    catalog.create_namespace("trap")
    for kind, arrow in ((TimestamptzType(), pa.timestamp("us", "UTC")), (LongType(), pa.int64())):
        table = catalog.create_table(
            ("trap", str(kind)), Schema(NestedField(1, "valid_to", kind, required=False))
        )
        rows = pa.table({"valid_to": pa.array([FOREVER], arrow)})
        if kind == LongType():
            table.append(rows)
            assert len(plan(table, GreaterThan("valid_to", FOREVER - 1))) == 1  # type: ignore[call-arg, arg-type]
        else:
            with pytest.raises((OverflowError, ValueError)):
                table.append(rows)
    for spec in TABLES.values():
        bounds = {kind for name, kind, _ in spec.columns if name in BOUNDS}
        assert bounds <= {LongType()}, spec.name


def test_partitions_are_by_month_and_by_bucket(ledger: IcebergLedger) -> None:
    """By day a real import made 1,580 files a table; the fold needs all statements of its keys."""
    for name, fields in {
        "episodes": ["tenant identity", "landed_month month"],
        "payloads": ["tenant identity", "landed_month month"],
        "statements": ["tenant identity", "subject_bucket bucket[16]"],
        "beliefs": ["tenant identity", "subject_bucket bucket[16]"],
        "supporters": ["tenant identity", "subject_bucket bucket[16]"],
        "quarantine": ["tenant identity"],
    }.items():
        made = ledger._store.load(TABLES[name]).spec().fields
        assert [f"{field.name} {field.transform}" for field in made] == fields
    hour = 3_600_000_000
    clock = TurnedClock(int(datetime(2026, 3, 1, tzinfo=UTC).timestamp()) * 1_000_000)
    ledger._now = ledger._log._now = clock
    for _ in range(3):
        ledger.land("t", [episode(str(clock.instant))])
        clock.instant += 10 * 24 * hour
    table = ledger._store.load(EPISODES)
    assert table.inspect.partitions().num_rows == 1


def test_statements_lie_sorted_by_subject_and_predicate(ledger: IcebergLedger) -> None:
    names = [("B", "x"), ("A", "y"), ("B", "a"), ("A", "x")]
    said = [statement(s + p, subject=s, predicate=p) for s, p in names]
    ledger.append_statements("t", extracted(*said), clock=Clock.SYSTEM, through=0)
    found = []
    for path in plan(ledger._store.load(STATEMENTS), EqualTo("tenant", "t")):  # type: ignore[call-arg, arg-type]
        rows = pq.read_table(path.removeprefix("file://"), partitioning=None)
        lying = list(zip(*(rows[n].to_pylist() for n in ("subject", "predicate")), strict=True))
        assert lying == sorted(lying)
        found += lying
    assert sorted(found) == sorted(names)
    assert [s.statement_id for s in ledger.statements("t")] == [s + p for s, p in names]


def test_a_payload_is_found_in_a_small_row_group_and_ciphertext_has_no_bounds(
    ledger: IcebergLedger, tmp_path: Path
) -> None:
    with ledger._store.load(PAYLOADS).transaction() as change:
        change.set_properties({"write.parquet.row-group-limit": "10"})
    ledger.land("t", [episode(f"e{number:03}", b"%d" % number) for number in range(35)])
    (file,) = files(tmp_path, "payloads", "*.parquet")
    about = pq.ParquetFile(file).metadata
    assert [about.row_group(n).num_rows for n in range(about.num_row_groups)] == [10, 10, 10, 5]
    assert ledger.payload("t", "e023") == b"23"
    (task,) = ledger._store.load(PAYLOADS).scan().plan_files()
    body = ledger._store.load(PAYLOADS).schema().find_field("body").field_id
    assert body not in task.file.lower_bounds and body not in task.file.upper_bounds
