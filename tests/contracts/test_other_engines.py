"""Another engine reads the tables: DuckDB's own Iceberg extension, and the views of the README."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest

from lakehouse.catalog import local
from lakehouse.iceberg import open_ledger
from lakehouse.model.beliefs import Reason
from lakehouse.model.ledger import BeliefChanges, Clock, Closing
from lakehouse.snapshots import kept
from lakehouse.store import Store
from lakehouse.tables import EPISODES, STATEMENTS, TABLES
from tests.contracts.ledger_values import belief, episode, extracted, statement

ROOT = Path(__file__).parents[2]
README = ROOT / "lakehouse" / "open_sql" / "README.md"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)})
    ledger.land("t", [episode("1"), episode("2")])
    ledger.land("t", [episode("3")])
    said = extracted(statement("s1"), statement("s2"))
    ledger.append_statements("t", said, clock=Clock.SYSTEM, through=2)
    opened = BeliefChanges(opened=(belief("b1"), belief("b2")))
    ledger.append_beliefs("t", opened, through=3)
    again = extracted(statement("s3"))
    ledger.append_statements("t", again, clock=Clock.SYSTEM, through=4)
    ledger.append_beliefs(
        "t", BeliefChanges(closed=(Closing("b1", 9, "s3", Reason.ENDED),)), through=5
    )
    return Store(local(tmp_path / "lake"))


@pytest.fixture
def engine() -> duckdb.DuckDBPyConnection:
    """DuckDB with the Iceberg extension of the wheels; nothing is fetched."""
    connection = duckdb.connect()
    for name in ("avro", "iceberg"):
        file = f"{name}.duckdb_extension"
        place = files(f"duckdb_extension_{name}") / "extensions" / f"v{duckdb.__version__}" / file
        connection.execute(f"LOAD '{place}'")
    return connection


def test_every_table_reads_alike(store: Store, engine: duckdb.DuckDBPyConnection) -> None:
    for name, spec in TABLES.items():
        table = store.load(spec)
        theirs = engine.execute(f"FROM iceberg_scan('{table.metadata_location}')").to_arrow_table()
        ours = table.scan().to_arrow()
        assert theirs.column_names == ours.column_names
        assert theirs.num_rows == ours.num_rows, name
        keys = [
            one for one in ("tenant", "batch_id", "ordinal", "position") if one in ours.schema.names
        ]
        assert sorted(map(tuple, _rows(theirs, keys))) == sorted(map(tuple, _rows(ours, keys)))


def test_a_snapshot_reads_alike(store: Store, engine: duckdb.DuckDBPyConnection) -> None:
    table = store.load(EPISODES)
    first, second = kept(table)
    for snapshot, rows in ((first, 2), (second, 3)):
        told = engine.execute(
            f"SELECT count(*) FROM iceberg_scan('{table.metadata_location}', "  # noqa: S608
            f"snapshot_from_id = {snapshot.snapshot_id})"
        ).fetchall()
        assert told == [(rows,)]


def test_the_views_of_the_readme_show_committed_rows(
    store: Store, engine: duckdb.DuckDBPyConnection
) -> None:
    torn = store.load(STATEMENTS).scan().to_arrow().slice(0, 1)
    store.append(STATEMENTS, torn.set_column(1, "batch_id", [["torn"]]).cast(STATEMENTS.arrow))
    section = README.read_text().split("## DuckDB's own", 1)[1]
    text = section.split("```sql\n", 1)[1].split("```", 1)[0]
    engine.execute(
        re.sub(r"<metadata of (\w+)>", lambda m: store.load(TABLES[m[1]]).metadata_location, text)
    )
    assert engine.execute("SELECT statement_id, seq FROM statements ORDER BY seq").fetchall() == [
        ("s1", 0),
        ("s2", 1),
        ("s3", 2),
    ]
    ends = engine.execute("SELECT belief_id FROM believed WHERE recorded_to = 9").fetchall()
    assert ends == [("b1",)]
    assert engine.execute("SELECT count(*) FROM believed").fetchall() == [(2,)]


def _rows(table: object, keys: list[str]) -> list[list[object]]:
    return [list(row.values()) for row in table.select(keys).to_pylist()]  # type: ignore[attr-defined]
