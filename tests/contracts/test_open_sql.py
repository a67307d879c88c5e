"""The lake opened for SQL shows committed rows of one tenant, as of a basis, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lakehouse.catalog import local
from lakehouse.iceberg import IcebergLedger, open_ledger
from lakehouse.model.beliefs import Reason
from lakehouse.model.errors import InputError, UnavailableError
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import BeliefChanges, Clock, Closing, SupportClosing, Tightening
from lakehouse.open_sql import OpenLake
from lakehouse.store import Store
from lakehouse.tables import EPISODES, TABLES
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


@pytest.fixture
def clock() -> TurnedClock:
    return TurnedClock()


@pytest.fixture
def ledger(tmp_path: Path, clock: TurnedClock) -> IcebergLedger:
    """Tenant `t` with a landing, two extractions and two believings; `u` with a landing."""
    ledger = open_ledger(tmp_path, {"HOME": str(tmp_path)}, now=clock)
    ledger.land("t", [episode("1"), refusal("x:1")])
    ledger.append_statements("t", extracted(statement("s1")), clock=Clock.SYSTEM, through=1)
    opened = BeliefChanges(
        opened=(belief("b1", recorded_from=10), belief("b2", recorded_from=20)),
        supports_opened=(support("x1", belief_id="b1", recorded_from=15),),
    )
    ledger.append_beliefs("t", opened, through=2)
    clock.instant = NOON + 1_000_000
    ledger.land("u", [episode("1", tenant="u")])
    ledger.append_statements("t", extracted(statement("s2")), clock=Clock.SYSTEM, through=3)
    closed = BeliefChanges(
        opened=(belief("b3", recorded_from=30, opened_by="s2"),),
        closed=(Closing("b1", 30, "s2", Reason.CHANGED),),
        tightened=(Tightening("b2", 30, 3),),
        supports_closed=(SupportClosing("x1", 30),),
    )
    ledger.append_beliefs("t", closed, through=5)
    return ledger


def opened(tmp_path: Path, **basis: Any) -> OpenLake:
    return OpenLake(Store(local(tmp_path / "lake")), basis.pop("tenant", "t"), **basis)


def counts(lake: OpenLake) -> dict[str, int]:
    return {
        name: lake.sql(f"SELECT count(*) AS n FROM {name}")["n"][0].as_py()  # noqa: S608
        for name in TABLES
    }


def test_beliefs_are_the_ledgers_own(ledger: IcebergLedger, tmp_path: Path) -> None:
    lake = opened(tmp_path)
    rows = lake.sql(
        "SELECT belief_id, opened_by, recorded_to, closed_by, reason, strictest FROM beliefs"
    )
    assert sorted(map(tuple, (row.values() for row in rows.to_pylist()))) == sorted(
        (
            b.belief_id,
            b.opened_by,
            b.recorded_to,
            b.closed_by,
            b.reason and b.reason.value,
            b.strictest,
        )
        for b in ledger.beliefs("t")
    )
    boxes = lake.sql("SELECT support_id, recorded_to FROM supporters").to_pylist()
    assert boxes == [{"support_id": "x1", "recorded_to": 30}]


def test_as_known_then_nothing_later_shows(ledger: IcebergLedger, tmp_path: Path) -> None:
    lake = opened(tmp_path, known_at=29)
    rows = lake.sql("SELECT belief_id, recorded_to, closed_by, reason FROM beliefs ORDER BY 1")
    assert [tuple(row.values()) for row in rows.to_pylist()] == [
        ("b1", FOREVER, None, None),
        ("b2", FOREVER, None, None),
    ]
    assert counts(opened(tmp_path, known_at=14))["supporters"] == 0
    then = counts(opened(tmp_path, known_at=NOON + 2))
    assert (then["episodes"], then["payloads"], then["statements"], then["commits"]) == (1, 1, 1, 3)


def test_up_to_a_position(ledger: IcebergLedger, tmp_path: Path) -> None:
    assert counts(opened(tmp_path, position=0)) == dict.fromkeys(TABLES, 0)
    third = opened(tmp_path, position=3)
    assert (counts(third)["statements"], counts(third)["beliefs"]) == (1, 2)
    assert third.sql("SELECT DISTINCT recorded_to FROM beliefs").num_rows == 1
    assert opened(tmp_path).position == 6
    with pytest.raises(InputError, match="position 7"):
        opened(tmp_path, position=7)


def test_rows_of_others_and_rows_that_no_commit_names_do_not_show(
    ledger: IcebergLedger, tmp_path: Path
) -> None:
    store = Store(local(tmp_path / "lake"))
    torn = store.load(EPISODES).scan(row_filter="tenant == 't'").to_arrow()
    store.append(EPISODES, torn.set_column(1, "batch_id", [["torn"]]).cast(EPISODES.arrow))
    assert counts(opened(tmp_path))["episodes"] == 1
    other = counts(opened(tmp_path, tenant="u"))
    assert (other["episodes"], other["statements"], other["commits"]) == (1, 0, 1)


def test_sql_can_reach_nothing_but_the_views(ledger: IcebergLedger, tmp_path: Path) -> None:
    lake = opened(tmp_path)
    file = next((tmp_path / "lake" / "warehouse").rglob("*.parquet"))
    for text in (
        f"FROM read_parquet('{file}')",
        f"FROM '{file}'",
        f"FROM glob('{tmp_path}/*')",
        "SELECT no_such_column FROM beliefs",
    ):
        with pytest.raises(InputError, match="DuckDB cannot answer"):
            lake.sql(text)
    tenants = {row for name in TABLES for row in _tenants(lake, name)}
    assert tenants == {"t"}


def test_only_questions_are_answered_so_one_changes_nothing_for_the_next(
    ledger: IcebergLedger, tmp_path: Path
) -> None:
    lake = opened(tmp_path)
    before = counts(lake)
    for text in (
        "CREATE TABLE mine AS SELECT 1",
        "CREATE OR REPLACE VIEW beliefs AS SELECT 1",
        "DROP VIEW beliefs",
        "ALTER VIEW beliefs RENAME TO mine",
        "INSERT INTO heard SELECT 'torn', 99, 1, 1",
        "UPDATE heard SET position = 1",
        "DELETE FROM heard",
        "MERGE INTO heard USING heard h ON false WHEN NOT MATCHED THEN INSERT *",
        "EXPLAIN ANALYZE DELETE FROM heard",
        "explain (analyze) DROP VIEW beliefs",
        "SET VARIABLE known_at = 1",
        "SET enable_external_access = true",
        "PREPARE later AS DELETE FROM heard",
        "CALL pragma_version()",
        "BEGIN",
        "LOAD json",
        "ATTACH ':memory:' AS other",
        "COPY (SELECT 1) TO '/tmp/other.csv'",
        "EXPORT DATABASE '/tmp/other'",
    ):
        with pytest.raises(InputError, match="only questions are"):
            lake.sql(text)
    assert counts(lake) == before
    for text in (
        "DESCRIBE beliefs",
        "SUMMARIZE beliefs",
        "SHOW TABLES",
        "VALUES (1)",
        "WITH one AS (SELECT 1) FROM one",
        "EXPLAIN FROM beliefs",
        "EXPLAIN ANALYZE FROM beliefs",
        "-- explained\nEXPLAIN FROM beliefs",
    ):
        assert lake.sql(text).num_rows > 0


def _tenants(lake: OpenLake, name: str) -> list[str]:
    found: list[str] = lake.sql(f"SELECT tenant FROM stored_{name}")["tenant"].to_pylist()  # noqa: S608
    return found


def test_a_file_that_is_not_there_is_no_fault_of_the_question(
    ledger: IcebergLedger, tmp_path: Path
) -> None:
    lake = opened(tmp_path)
    (file,) = (tmp_path / "lake" / "warehouse").rglob("payloads/data/tenant=t/**/*.parquet")
    file.unlink()
    with pytest.raises(UnavailableError, match="does not give a file of the lake"):
        lake.sql("FROM payloads")


def test_columns_of_one_name_are_told_apart(ledger: IcebergLedger, tmp_path: Path) -> None:
    """A join has many; as records all but the last were lost without a word."""
    found = opened(tmp_path).sql("SELECT 1 AS a, 2 AS a, 3 AS a_1, 4 AS a")
    assert found.to_pylist() == [{"a": 1, "a_2": 2, "a_1": 3, "a_3": 4}]


def test_open_ends_are_told(ledger: IcebergLedger, tmp_path: Path) -> None:
    rows = opened(tmp_path).sql(
        f"SELECT iso({FOREVER}) AS a, iso(0) AS b, iso(-(1::BIGINT << 61)) AS c"
    )
    assert rows.to_pylist() == [{"a": "∞", "b": "1970-01-01T00:00:00.000000Z", "c": "-∞"}]


def test_one_statement_is_asked_at_a_time(ledger: IcebergLedger, tmp_path: Path) -> None:
    lake = opened(tmp_path)
    for none in ("", "\n", " ; ", "-- nothing"):
        with pytest.raises(InputError, match="holds no statement"):
            lake.sql(none)
    for several in ("SELECT 1; SELECT 2", "PIVOT commits ON stage; PIVOT commits ON stage"):
        with pytest.raises(InputError, match="holds 2 statements"):
            lake.sql(several)
    assert lake.sql("SELECT ';' AS n; -- one; only").to_pylist() == [{"n": ";"}]
    pivoted = lake.sql("PIVOT (SELECT stage FROM commits) ON stage USING count(*)")
    assert pivoted.to_pylist() == [{"believe": 2, "extract": 2, "land": 1}]
