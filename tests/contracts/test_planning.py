"""What is kept in memory of files that never change shows nothing stale, torn or removed."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyiceberg.catalog.sql import FromInputFile
from pyiceberg.expressions import AlwaysTrue, And, BooleanExpression
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
)
from pyiceberg.table import Table
from pyiceberg.table.metadata import TableMetadata
from pyiceberg.table.snapshots import Snapshot

from lakehouse import planning
from lakehouse.catalog import local
from lakehouse.codec_episodes import header_rows
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.maintenance import expire as expiring
from lakehouse.maintenance.compact import compact
from lakehouse.maintenance.expire import expire
from lakehouse.maintenance.sweep import LEAST_GRACE, sweep
from lakehouse.model.errors import InputError, IntegrityError
from lakehouse.planning import ReadOnce, live_files
from lakehouse.pruning import among, equal_to, is_equal, is_in
from lakehouse.scan import plan, read
from lakehouse.stamping import system_clock
from lakehouse.store import Store
from lakehouse.tables import EPISODES, PAYLOADS
from lakehouse.vault.bodies import Kept
from tests.contracts.ledger_values import NOON, episode

KEPT = Kept("none", (), b"")

DAY = 86_400_000_000


def opened(home: Path) -> tuple[IcebergLedger, Store]:
    return open_ledger(home, {"HOME": str(home)}), Store(local(home / "lake"))


def test_a_reader_that_has_read_before_sees_what_others_land_since(tmp_path: Path) -> None:
    reader, writer = opened(tmp_path)[0], opened(tmp_path)[0]
    for number in range(3):
        with pytest.raises(InputError, match="unknown episode"):
            reader.payload("t", f"{number}")
        writer.land("t", [episode(f"{number}", b"%d" % number)])
        assert reader.payload("t", f"{number}") == b"%d" % number
        assert len(reader.headers("t")) == number + 1


def test_rows_that_no_commit_names_stay_unseen_by_a_warm_reader(tmp_path: Path) -> None:
    reader, store = opened(tmp_path)
    reader.land("t", [episode("1")])
    assert set(reader.headers("t")) == {"1"}
    store.append(EPISODES, header_rows("t", "torn", [episode("2")], [KEPT], ["k:d"], NOON))
    assert set(reader.headers("t")) == {"1"}
    with pytest.raises(InputError, match="unknown episode"):
        reader.payload("t", "2")


def test_a_warm_reader_follows_upkeep_that_removes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiring, "LEAST", 1)
    reader, store = opened(tmp_path)
    for number in range(9):
        reader.land("t", [episode(f"{number}", b"%d" % number)])
    bodies = [reader.payload("t", f"{number}") for number in range(9)]
    before = set(plan(store.load(PAYLOADS), AlwaysTrue()))
    compact(store)
    expire(store, keep=1, now=system_clock() + 400 * DAY)
    swept = sweep(store, now=system_clock() + 2 * LEAST_GRACE, grace=LEAST_GRACE, dry_run=False)
    assert sum(len(one.unreachable) for one in swept) > len(before)
    assert not any(Path(path.removeprefix("file://")).exists() for path in before)
    assert [reader.payload("t", f"{number}") for number in range(9)] == bodies


def test_plans_are_those_of_the_library_for_every_snapshot(tmp_path: Path) -> None:
    ledger, store = opened(tmp_path)
    for number in range(4):
        for tenant in ("t", "u"):
            ledger.land(tenant, [episode(f"{number}", tenant=tenant)])
    compact(store, [EPISODES], least=2)
    ledger.land("t", [episode("last")])
    table = store.load(EPISODES)
    filters: list[BooleanExpression] = [
        AlwaysTrue(),
        equal_to("tenant", "u"),
        equal_to("tenant", "nobody"),
        And(equal_to("tenant", "t"), equal_to("episode_id", "2")),
        among("episode_id", ["0", "last"]),
    ]
    for snapshot in table.metadata.snapshots:
        for where in filters:
            tasks = table.scan(row_filter=where, snapshot_id=snapshot.snapshot_id).plan_files()
            expected = sorted(task.file.file_path for task in tasks)
            for _ in range(2):
                assert sorted(plan(table, where, snapshot.snapshot_id)) == expected
    assert live_files(table, snapshot_id=1) == []


def test_deletes_are_refused_though_their_files_were_read_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, store = opened(tmp_path)
    ledger.land("t", [episode("1")])
    table = store.load(EPISODES)
    (file,) = live_files(table)
    ledger.land("t", [episode("2")])
    deletes = _deletes_of(file)
    once = Snapshot.manifests
    monkeypatch.setattr(Snapshot, "manifests", lambda self, io: [*once(self, io), deletes])
    assert live_files(table) == [file]
    with pytest.raises(IntegrityError, match="carries deletes"):
        live_files(store.load(EPISODES))


def _deletes_of(file: DataFile) -> ManifestFile:
    about = DataFile.from_args(
        content=DataFileContent.POSITION_DELETES,
        file_path="deletes.parquet",
        file_format=FileFormat.PARQUET,
        partition=file.partition,
        record_count=1,
        file_size_in_bytes=1,
    )
    about.spec_id = 0
    entry = ManifestEntry.from_args(
        status=ManifestEntryStatus.ADDED, snapshot_id=1, sequence_number=99, data_file=about
    )

    class Deletes(ManifestFile):
        def fetch_manifest_entry(
            self, io: object, discard_deleted: bool = True
        ) -> list[ManifestEntry]:
            return [entry]

    return Deletes.from_args(
        manifest_path="deletes.avro",
        manifest_length=1,
        partition_spec_id=0,
        content=ManifestContent.DELETES,
        sequence_number=99,
        min_sequence_number=99,
        added_snapshot_id=1,
    )


def test_manifests_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger, _ = opened(tmp_path)
    for number in range(3):
        ledger.land("t", [episode(f"{number}")])
    ledger.payload("t", "0")

    def again(*_: object, **__: object) -> None:
        raise AssertionError("a manifest was read again")

    monkeypatch.setattr(ManifestFile, "fetch_manifest_entry", again)
    monkeypatch.setattr(Snapshot, "manifests", again)
    assert ledger.payload("t", "1") == b"{}"


def test_what_is_kept_is_bounded_and_the_longest_unused_goes_first() -> None:
    kept = ReadOnce[int](5)
    kept.keep("a", (1, 2))
    kept.keep("b", (3, 4))
    assert kept.get("a") == (1, 2)
    kept.keep("c", (5, 6))
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == ((1, 2), None, (5, 6))
    kept.keep("a", (7, 8, 9))
    assert (kept.get("a"), kept.get("c")) == ((7, 8, 9), (5, 6))
    kept.keep("large", tuple(range(9)))
    assert kept.get("large") == tuple(range(9))
    assert kept.get("a") is kept.get("c") is None
    kept.keep("empty", ())
    assert kept.get("empty") == ()


def test_files_are_planned_anew_where_none_could_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "_FILES", ReadOnce[DataFile](0))
    monkeypatch.setattr(planning, "_LISTS", ReadOnce[ManifestFile](0))
    ledger, store = opened(tmp_path)
    for number in range(4):
        ledger.land("t", [episode(f"{number}")])
    assert len(live_files(store.load(EPISODES))) == 4
    assert set(ledger.headers("t")) == set("0123")


def test_kept_metadata_is_what_the_file_says_and_appends_do_not_touch_it(tmp_path: Path) -> None:
    ledger, store = opened(tmp_path)
    ledger.land("t", [episode("1")])
    held = store.load(EPISODES)
    assert store.load(EPISODES).metadata is held.metadata
    _append(store, "2")
    assert len(held.metadata.snapshots) == 1
    assert held.metadata == _parsed(held)
    newest = store.load(EPISODES)
    assert len(newest.metadata.snapshots) == 2
    assert newest.metadata == _parsed(newest)


def test_a_commit_copies_no_snapshot_of_those_that_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyIceberg copies each in depth at each commit, so that commits grew with their number."""
    ledger, store = opened(tmp_path)
    ledger.land("t", [episode("1")])
    copied: list[Snapshot] = []
    monkeypatch.setattr(Snapshot, "__deepcopy__", lambda one, _: copied.append(one))
    for name in "2345":
        ledger.land("t", [episode(name)])
    newest = store.load(EPISODES)
    assert (len(newest.metadata.snapshots), copied) == (5, [])
    assert newest.metadata.model_dump_json() == _parsed(newest).model_dump_json()


def _append(store: Store, name: str) -> None:
    store.append(EPISODES, header_rows("t", name, [episode(name)], [KEPT], ["k:d"], NOON))


def _parsed(table: Table) -> TableMetadata:
    return FromInputFile.table_metadata(table.io.new_input(table.metadata_location))


def test_what_was_landed_before_is_told_apart_from_what_is_new(tmp_path: Path) -> None:
    """New ids are told by one column; digests and places are read where some are known."""
    ledger, _ = opened(tmp_path)
    ledger.land("t", [episode("1"), episode("3")])
    assert ledger.land("t", [episode("2")]).landed == 1
    done = ledger.land("t", [episode("1"), episode("3", b"other"), episode("4")])
    assert (done.landed, done.duplicates, done.refused) == (1, 1, 1)
    assert "was landed from" in ledger.quarantined("t")[0].reason


@pytest.mark.parametrize("alike", ["a-source-with-a-long-name/", "y" * 200, "é\U0001f600" * 40])
def test_files_are_ruled_out_by_what_is_named_and_never_one_that_holds_it(
    tmp_path: Path, alike: str
) -> None:
    ledger, store = opened(tmp_path)
    ids = [f"{alike}{number}" for number in range(6)]
    for some in (ids[:1], ids[1:2], ids[2:5], [*ids[5:], "x" * 5_000]):
        ledger.land("t", [episode(one) for one in some])
    table = store.load(EPISODES)
    every = {path: set(read(table, EPISODES, [path])["episode_id"].to_pylist())
             for path in plan(table, AlwaysTrue())}  # fmt: skip
    for names in (ids[:1], ids[2:4], ids, [f"{alike}no"], [], [*map(str, range(300)), ids[0]]):
        named = {"episode_id": names, "tenant": ["t"]}
        holding = {path for path, held in every.items() if held & set(names)}
        found = {file.file_path for file in live_files(table, named=named)}
        assert holding <= found
        unbounded = {path for path, held in every.items() if max(map(len, held)) > 4_095}
        if len(alike) < 128:
            assert found - unbounded <= (holding if names != [f"{alike}no"] else set())
        assert set(ledger.headers("t", names)) == set(names) & set(ids)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_few_rows_are_read_from_the_row_groups_that_hold_them(tmp_path: Path, size: int) -> None:
    _, store = opened(tmp_path)
    table, paths = store.load(EPISODES), []
    for file in range(3):
        held = [episode(f"{number}/{file}") for number in range(7)]
        rows = header_rows("t", "b", held, [KEPT] * 7, ["k:d"] * 7, NOON)
        pq.write_table(rows, tmp_path / f"{file}.parquet", row_group_size=size)
        paths.append(f"file://{tmp_path}/{file}.parquet")
    for names in ([], ["none"], ["3/1"], ["0/0", "6/0", "2/2"], ["1/0", "1/1", "1/2"]):
        exactly = is_in("episode_id", names) & is_equal("tenant", "t")
        for columns in (None, ("location",)):
            few = read(table, EPISODES, paths, columns, exactly, few=True)
            assert few == read(table, EPISODES, paths, columns, exactly)
            assert few.num_rows == len(set(names) - {"none"})
