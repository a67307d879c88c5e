"""Rows that all lie in one partition are written in one go, to the very files PyIceberg makes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import _dataframe_to_data_files
from pyiceberg.manifest import DataFile

from lakehouse import writing
from lakehouse.catalog import local
from lakehouse.codec_episodes import header_rows, payload_rows
from lakehouse.codec_statements import statement_rows
from lakehouse.iceberg import open_ledger
from lakehouse.maintenance.compact import compact
from lakehouse.model.ledger import Clock
from lakehouse.scan import read
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import EPISODES, PAYLOADS, STATEMENTS
from lakehouse.vault.bodies import Kept
from lakehouse.writing import data_files
from tests.contracts.ledger_values import NOON, episode, extracted, statement

KEPT = Kept("none", (), b"")

MONTH = 31 * 86_400_000_000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    (tmp_path / "lake").mkdir()
    return Store(local(tmp_path / "lake"))


def landed(tenant: str, at: int, count: int = 3) -> pa.Table:
    held = [episode(f"{tenant}{at}{n}", tags=("x",), who=None) for n in range(count)]
    return header_rows(tenant, "b", held, [KEPT] * count, ["k:d"] * count, at)


def about(file: DataFile) -> tuple[object, ...]:
    """All that Iceberg records of a file but its path."""
    return tuple(file[place] for place in range(len(file)) if file[place] != file.file_path)


def by_place(files: Iterable[DataFile]) -> list[DataFile]:
    return sorted(files, key=lambda file: str(file.partition))


def same_files(store: Store, spec: TableSpec, rows: pa.Table) -> list[DataFile]:
    table = store.load(spec)
    # The library gives the files of several partitions in no stated order.
    ours = by_place(data_files(table.metadata, rows, table.io, uuid.uuid4()))
    theirs = by_place(_dataframe_to_data_files(table.metadata, rows, table.io))
    assert [about(file) for file in ours] == [about(file) for file in theirs]
    for one, other in zip(ours, theirs, strict=True):
        assert Path(one.file_path).parent == Path(other.file_path).parent
        assert read(table, spec, [one.file_path]) == read(table, spec, [other.file_path])
    return ours


def test_one_partition_is_not_looked_for_row_by_row(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = payload_rows("t", "b", [episode("1", b"x"), episode("2", b"y")], [KEPT] * 2, NOON)
    assert len(same_files(store, PAYLOADS, bodies)) == 1
    rows = landed("t", NOON)
    (file,) = same_files(store, EPISODES, rows)
    assert (file.partition[0], file.record_count) == ("t", 3)
    in_two_chunks = pa.concat_tables([rows, rows])
    assert len(same_files(store, EPISODES, in_two_chunks)) == 1

    def never(*_: object, **__: object) -> None:
        raise AssertionError("rows were split")

    monkeypatch.setattr(writing, "_dataframe_to_data_files", never)
    table = store.load(EPISODES)
    assert len(data_files(table.metadata, rows, table.io, uuid.uuid4())) == 1


def test_rows_of_several_partitions_never_share_a_file(store: Store) -> None:
    tenants = pa.concat_tables([landed("t", NOON), landed("u", NOON)])
    assert len(same_files(store, EPISODES, tenants)) == 2
    months = pa.concat_tables([landed("t", NOON), landed("t", NOON + MONTH)])
    assert len(same_files(store, EPISODES, months)) == 2
    subjects = extracted(statement("a"), statement("w", subject=""))
    rows = statement_rows("t", "b", subjects, Clock.SYSTEM)
    assert len(same_files(store, STATEMENTS, rows)) == 2
    assert len(same_files(store, STATEMENTS, rows.slice(0, 1))) == 1


def test_nothing_and_too_much_are_left_to_the_library(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, rows = store.load(EPISODES), landed("t", NOON)
    assert list(data_files(table.metadata, rows.slice(0, 0), table.io, uuid.uuid4())) == []
    small = table.metadata.model_copy(
        update={"properties": {**table.properties, "write.target-file-size-bytes": "10"}}
    )
    asked: list[pa.Table] = []

    def noted(_: object, rows: pa.Table, *__: object, **___: object) -> list[DataFile]:
        asked.append(rows)
        return []

    monkeypatch.setattr(writing, "_dataframe_to_data_files", noted)
    data_files(small, rows, table.io, uuid.uuid4())
    assert asked == [rows]


def test_a_text_whose_bound_cannot_be_written_lands_like_any_other(tmp_path: Path) -> None:
    """One such record failed the whole landing, at every try."""
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    names = ["1", "\ud7ff" * 17, "\U0010ffff" * 17]
    assert ledger.land("t", [episode(name) for name in names]).landed == 3
    assert [ledger.land("t", [episode(name)]).duplicates for name in names] == [1, 1, 1]
    said = extracted(*(statement(name, subject=name, object=name) for name in names))
    ledger.append_statements("t", said, clock=Clock.SYSTEM, through=1)
    for name in names:
        assert [s.object for s in ledger.statements("t", subjects=[name])] == [name]


def test_a_long_value_does_not_prune_away_what_lies_beside_it(tmp_path: Path) -> None:
    """Else an id of 5,000 bytes let the episodes of its row group land twice."""
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    with ledger._store.load(EPISODES).transaction() as change:
        change.set_properties({"write.parquet.row-group-limit": "2"})
    for length in (writing.LONG - 1, writing.LONG, writing.LONG + 1):
        names = [f"a{length}", f"b{length}", f"c{length}", "z" * length]
        assert ledger.land("t", [episode(name) for name in names]).landed == 4
        again = [ledger.land("t", [episode(name)]) for name in names]
        assert [(one.landed, one.duplicates) for one in again] == [(0, 1)] * 4
    compact(ledger._store, [EPISODES], least=2)
    for name in (f"c{writing.LONG}", "z" * writing.LONG):
        assert set(ledger.headers("t", [name])) == {name}
    (file,) = ledger._store.load(EPISODES).scan().plan_files()
    bounded = {
        ledger._store.load(EPISODES).schema().find_column_name(n) for n in file.file.lower_bounds
    }
    assert "episode_id" not in bounded and {"tenant", "source", "batch_id"} <= bounded
