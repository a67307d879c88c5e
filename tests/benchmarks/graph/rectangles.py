"""The same rectangles in DuckDB: the second opinion on every answer, and a figure beside each read.

They are read from the lake once, through the views that it offers to SQL, into a table that is
sorted by subject. Whole sets of questions are answered by one join; the SQL stands in `sql/`.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from lakehouse.catalog import local
from lakehouse.model.instants import FOREVER
from lakehouse.open_sql import OpenLake
from lakehouse.store import Store
from tests.benchmarks.graph.histories import TENANT

MOST_CLEARANCE: Final = 3
_READ: Final = (
    "SELECT belief_id, key, subject, predicate, object, object_kind, valid_from, valid_to, "
    "recorded_from, recorded_to, listeners, strictest, origin, episode_id, trust, classification, "
    "opened_by, closed_by, reason FROM beliefs"
)
_SUPPORTERS: Final = (
    "SELECT belief_id, episode_id, recorded_from, listeners, classification FROM supporters"
)
_LIVE: Final = "SELECT count(*), count(*) FILTER (object_kind = 'entity') FROM rectangles r WHERE "
_TEXTS: Final = ("entity", "predicate")


@dataclass(frozen=True, slots=True)
class Asked:
    """One question; what a read has no use for is left at its default. Instants are µs UTC."""

    entity: str
    predicate: str | None
    valid_at: int
    known_at: int
    clearance: int = MOST_CLEARANCE
    hops: int = 1
    listener: int = 1
    valid_then: int = 0
    known_then: int = 0


_QUESTIONS: Final = pa.schema(
    [
        ("number", pa.int64()),
        *((one.name, pa.string() if one.name in _TEXTS else pa.int64()) for one in fields(Asked)),
    ]
)
Row = tuple[Any, ...]


class Rectangles:
    """All rectangles of the set. One connection, not shared by threads."""

    def __init__(self, home: Path) -> None:
        began = time.perf_counter()
        lake = OpenLake(Store(local(home / "lake")), TENANT)
        self.connection: Final = duckdb.connect(":memory:")
        self.connection.register("told", lake.sql(_READ))
        self.connection.execute(
            "CREATE TABLE rectangles AS FROM told ORDER BY subject, predicate, recorded_from"
        )
        self.connection.unregister("told")
        self.connection.register("backing", lake.sql(_SUPPORTERS))
        self.connection.execute("CREATE TABLE supporters AS FROM backing ORDER BY episode_id")
        self.connection.unregister("backing")
        self.seconds: Final = time.perf_counter() - began

    def one(self, text: str) -> Row:
        """The first row of a statement."""
        found = self.connection.execute(text).fetchone()
        assert found is not None
        return tuple(found)

    def live(self, valid_at: int, known_at: int) -> tuple[int, int]:
        """How many are believed at a pair of instants, and how many of those are links."""
        every, links = self.one(_LIVE + rule_at(valid_at, known_at))
        return int(every), int(links)

    def answers(self, name: str, asked: Sequence[Asked]) -> list[set[Row]]:
        """The rows of `sql/<name>.sql`, by question."""
        self._pose(asked)
        by_number: dict[int, set[Row]] = defaultdict(set)
        for number, *row in self.connection.execute(query(name)).fetchall():
            by_number[number].add(tuple(row))
        return [by_number[number] for number in range(len(asked))]

    def timed(self, name: str, asked: Asked) -> float:
        """Seconds of one question, its parameters in place before."""
        self._pose([asked])
        began = time.perf_counter()
        self.connection.execute(query(name)).fetchall()
        return time.perf_counter() - began

    def _pose(self, asked: Sequence[Asked]) -> None:
        rows = [{"number": number, **asdict(one)} for number, one in enumerate(asked)]
        table = pa.Table.from_pylist(rows, _QUESTIONS)
        self.connection.register("posed", table)
        self.connection.execute("CREATE OR REPLACE TEMP TABLE questions AS FROM posed")


@cache
def query(name: str) -> str:
    """The text of a file, with the files put in that it names in braces."""
    text = files(__package__).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
    text = text.replace("{forever}", str(FOREVER))
    return re.sub(r"\{(\w+)\}", lambda named: query(named[1]).strip(), text)


def rule_at(valid_at: int, known_at: int) -> str:
    """The rule with its parameters written in: who hears everybody, and may see all."""
    given = {
        "valid_at": valid_at, "known_at": known_at, "listener": 1, "clearance": MOST_CLEARANCE,
    }  # fmt: skip
    return re.sub(r"\bq\.(\w+)", lambda named: str(given[named[1]]), query("rule"))
