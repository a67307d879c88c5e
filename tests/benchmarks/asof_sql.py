"""As-of in SQL over a million statements of a real lake, beside DuckDB's scan of the same rows.

The scans name the columns that the answer needs and read them to the end. Scan and answer take
turns, so that both are measured under the same load; the best of each is told.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from lakehouse.asof.asof import AsOf, At, Question
from lakehouse.asof.lake import LakeStatements
from lakehouse.commit_log import CommitLog
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.ledger import Clock, Stage
from lakehouse.model.listeners import Listeners
from lakehouse.stamping import Draft, system_clock
from lakehouse.store import Store, open_store
from lakehouse.tables import STATEMENTS
from tests.benchmarks.tables import Column, Table, Value, millis, tenths, whole

NUMBER: Final = 1_000_000
A_KEY: Final = (10, NUMBER)
"""Statements of each key."""
TURNS: Final = 5
TENANT: Final = "bench"
_DAY: Final = 86_400_000_000
_KNOWN_AT: Final = 2_000_000_000
_VALID_AT: Final = 3_500 * _DAY
_ROWS: Final = f"""
SELECT '{TENANT}' AS tenant, 'batch' AS batch_id, i AS ordinal, 's' || i AS statement_id,
       CASE WHEN i % 200 = 199 THEN 'withdraw' WHEN i % 100 = 99 THEN 'mark'
            ELSE 'assert' END AS op,
       1000 + i // 100 AS recorded_at, 'e' || i // 3 AS episode_id,
       CASE WHEN i % 100 <> 99 THEN 'subject:' || i % $keys END AS subject,
       CASE WHEN i % 100 = 99 THEN '' ELSE 'value' END AS predicate,
       'v' || hash(i + 7) % 3 AS "object", 'string' AS object_kind, 'thing' AS subject_type,
       '' AS object_type, begins * {_DAY} AS valid_from,
       CASE WHEN hash(i + 5) % 2 = 0 THEN {UNTIL_CHANGED}
            ELSE (begins + 1 + (hash(i + 11) % 400)::BIGINT) * {_DAY} END AS valid_to,
       'stated' AS valid_from_basis, (hash(i + 3) % 4)::INTEGER AS trust, 0 AS classification,
       'registry' AS source, []::VARCHAR[] AS tags,
       CASE WHEN i % 100 = 99 THEN 's' || hash(i + 1) % i END AS target,
       CASE WHEN i % 200 = 99 THEN 2 END AS mark_trust, NULL::INTEGER AS mark_classification,
       false AS erased, '' AS record, '' AS stated, '' AS undoes, NULL::VARCHAR AS extractor
FROM (SELECT i, (hash(i * 3 + 1) % 4000)::BIGINT AS begins FROM range(1, $number + 1) r(i))
ORDER BY i
"""  # noqa: S608  (constants of this module)
"""Half until changed, half with an end; one in a hundred undoes an earlier one."""
_COLUMNS: Final = (
    "batch_id", "ordinal", "statement_id", "op", "recorded_at", "episode_id", "subject",
    "predicate", "object", "object_kind", "valid_from", "valid_to", "trust", "classification",
    "source", "tags",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Best:
    """Seconds of the best turn."""

    wall: float
    cpu: float
    rows: int


def run() -> Table:
    """The table of the benchmark, for `tests.benchmarks`."""
    rows = [row for a_key in A_KEY for row in _of(a_key)]
    columns = (
        Column("question", "question"),
        Column("statements a key", "statements_a_key", whole),
        Column("rows", "rows", whole),
        Column("answer ms", "answer", millis),
        Column("CPU ms", "answer_cpu", millis),
        Column("beside", "scan"),
        Column("scan ms", "scan_seconds", millis),
        Column("CPU ms", "scan_cpu", millis),
        Column("times", "times", tenths),
        Column("CPU times", "cpu_times", tenths),
    )
    notes = [
        f"{NUMBER:,} statements in a lake, 1 in 100 undoing; best of {TURNS} turns; rows are those "
        "of the answer"
    ]
    return Table("as-of in SQL beside a scan of the same rows", columns, rows, notes)


def _of(a_key: int) -> list[Sequence[Value]]:
    with tempfile.TemporaryDirectory() as folder:
        store = _filled(Path(folder), NUMBER // a_key)
        statements = LakeStatements(store, TENANT)
        asof = AsOf(statements, [], Listeners())
        question = Question("subject:0", "value", _VALID_AT, _KNOWN_AT)
        key = ["subject = 'subject:0'", "predicate = 'value'"]
        found: list[Sequence[Value]] = []
        kinds: list[tuple[str, Callable[[], int], list[tuple[str, Callable[[], int]]]]] = [
            (
                "one key",
                lambda: len(asof.tops([question])),
                [
                    ("scan of its rows", _scan(statements, key)),
                    ("scan of all rows", _scan(statements, [])),
                ],
            ),
            (
                "whole state",
                lambda: asof.state(At(_VALID_AT, _KNOWN_AT)).num_rows,
                [
                    ("scan of all rows", _scan(statements, [])),
                    ("the same, handed over", _handed_over(statements)),
                ],
            ),
        ]
        for what, answer, scans in kinds:
            best, *beside = _in_turns([answer, *(scan for _, scan in scans)])
            for (name, _), scan in zip(scans, beside, strict=True):
                found.append(
                    (
                        what, a_key, best.rows, best.wall, best.cpu, name, scan.wall, scan.cpu,
                        best.wall / scan.wall, best.cpu / scan.cpu,
                    )
                )  # fmt: skip
        return found


def _scan(statements: LakeStatements, where: list[str]) -> Callable[[], int]:
    """Read the columns to the end: each is counted and its greatest value found."""
    told = ", ".join(f"max({column})" for column in _COLUMNS)
    text = f"SELECT count(*), {told} FROM every" + _where(where)  # noqa: S608
    return lambda: int(_every(statements).execute(text).fetchall()[0][0])


def _handed_over(statements: LakeStatements) -> Callable[[], int]:
    """Read the columns and hand them over as Arrow, as the answer is."""
    text = f"SELECT {', '.join(_COLUMNS)} FROM every"  # noqa: S608
    return lambda: int(_every(statements).execute(text).to_arrow_table().num_rows)


def _where(conditions: list[str]) -> str:
    return " WHERE " + " AND ".join(conditions) if conditions else ""


def _every(statements: LakeStatements) -> Any:
    """The connection with a view of all data files as they are."""
    connection = statements.connection
    if not connection.execute("FROM duckdb_views() WHERE view_name = 'every'").fetchall():
        connection.read_parquet(statements.paths, hive_partitioning=False).create_view("every")
    return connection


def _in_turns(works: Sequence[Callable[[], int]]) -> list[Best]:
    taken: list[list[Best]] = [[] for _ in works]
    for _ in range(TURNS):
        for times, work in zip(taken, works, strict=True):
            wall, cpu = time.perf_counter(), time.process_time()
            rows = work()
            times.append(Best(time.perf_counter() - wall, time.process_time() - cpu, rows))
    return [
        Best(min(one.wall for one in times), min(one.cpu for one in times), times[0].rows)
        for times in taken
    ]


def _filled(folder: Path, keys: int) -> Store:
    store = open_store(folder, {})
    made = duckdb.connect().execute(_ROWS, {"keys": keys, "number": NUMBER}).to_arrow_table()
    rows: pa.Table = made.cast(STATEMENTS.arrow)
    store.append(STATEMENTS, rows)
    draft = Draft(
        tenant=TENANT,
        stage=Stage.EXTRACT,
        batch_id="batch",
        clock=Clock.ATTESTED,
        statements=NUMBER,
        counts={"statements": NUMBER},
        attested_to=_KNOWN_AT,
    )
    CommitLog(store, system_clock).append(draft, lambda _: None)
    return store
