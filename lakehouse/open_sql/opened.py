"""An in-memory DuckDB in which the lake's tables are views, one tenant's committed rows only.

Files reach it as Arrow datasets, from whatever store, so that the SQL itself needs no access to
files: it is shut off, and what is asked can neither read past the views nor write into the lake.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import count
from typing import Any, Final

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from duckdb import StatementType
from pyiceberg.table import Table

from lakehouse.codec_commits import entries_of
from lakehouse.failures import failed
from lakehouse.keys import check_tenant
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.pruning import equal_to, is_equal
from lakehouse.scan import dataset, find, plan
from lakehouse.stamping import check_contiguous, select
from lakehouse.store import Store
from lakehouse.table_spec import TableSpec
from lakehouse.tables import BELIEFS, COMMITS, SUPPORTERS, TABLES

_HEARD: Final = pa.schema(
    [
        ("batch_id", pa.large_string()),
        ("position", pa.int64()),
        ("recorded_at", pa.int64()),
        ("first_seq", pa.int64()),
    ]
)
_SETTINGS: Final = (
    # It knows no size of what comes as Arrow, takes it for small, and would hash a million openings
    # to look up some closings: as written, the right side of a join is the one that is hashed.
    "SET disabled_optimizers = 'build_side_probe_side'",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET lock_configuration = true",
)
_READING: Final = "arrow_scan: get_next failed"
"""How DuckDB begins what went wrong while rows were read for it."""
_EXPLAIN: Final = re.compile(
    r"(\s|--[^\n]*\n)*EXPLAIN\b(\s+ANALYZE\b|\s*\([^()]*\))?", re.IGNORECASE
)


class OpenLake:
    """One tenant's lake up to a position and as known at an instant. Not shared by threads."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        *,
        position: int | None = None,
        known_at: int | None = None,
    ) -> None:
        """`position` is the last commit that counts, None the newest; `known_at` µs UTC.

        Without `known_at` all that is committed shows. InputError for a position that the lake
        has not reached. Commits are read first, so every batch that they name is there.
        """
        check_tenant(tenant)
        self.connection: Final = duckdb.connect(":memory:")
        commits = store.load(COMMITS)
        self.position: Final = self._hear(commits, tenant, position)
        self.tenant: Final = tenant
        self.known_at: Final = known_at
        self._let(
            known_at=FOREVER - 1 if known_at is None else known_at,
            always=ALWAYS,
            until_changed=UNTIL_CHANGED,
            forever=FOREVER,
            position=self.position,
        )
        snapshots: dict[str, int | None] = {}
        self.connection.execute(text("iso"))
        for spec in TABLES.values():
            table = commits if spec is COMMITS else store.load(spec)
            snapshots[spec.name] = table.metadata.current_snapshot_id
            self.connection.register(f"stored_{spec.name}", _rows(table, spec, tenant))
            if spec in (BELIEFS, SUPPORTERS):
                self.connection.execute(text(f"{spec.name}_later"))
            self.connection.execute(text(spec.name))
        self.snapshots: Final[Mapping[str, int | None]] = snapshots
        """The snapshot of each table that was read; None for an empty one."""
        for setting in _SETTINGS:
            self.connection.execute(setting)

    def sql(self, text: str) -> pa.Table:
        """The rows that one question gives; InputError with DuckDB's words where it cannot.

        Of columns that share a name the later ones are numbered: `name_1`, `name_2`.
        """
        try:
            self._check_asked(text)
            found = self.connection.execute(text).to_arrow_table()
            return found.rename_columns(_apart(found.column_names))
        except duckdb.Error as wrong:
            if _READING in str(wrong):
                raise failed("the store does not give a file of the lake", wrong) from wrong
            raise InputError(
                f"DuckDB cannot answer: {wrong}",
                remedy=f"Views: {', '.join(TABLES)}. Files and settings are shut off.",
            ) from wrong

    def _check_asked(self, text: str) -> None:
        """InputError unless it is one statement, and one that changes nothing in here either.

        What is to be explained is looked at as well: ANALYZE runs it.
        """
        explained = _EXPLAIN.sub("", text, count=1)
        asked = _only(self.connection.extract_statements(explained))
        if asked.type != StatementType.SELECT:
            raise InputError(
                f"a statement of the kind {asked.type.name} is not answered, only questions are",
                remedy=f"Ask for rows, such as `FROM {COMMITS.name}`, DESCRIBE or EXPLAIN.",
            )

    def _hear(self, commits: Table, tenant: str, position: int | None) -> int:
        entries = sorted(
            entries_of(find(commits, COMMITS)), key=lambda entry: entry.commit.position
        )
        check_contiguous(entries)
        newest = entries[-1].commit.position if entries else 0
        if position is not None and not 0 <= position <= newest:
            raise InputError(
                f"position {position} is not one that the lake has reached",
                remedy=f"Give one from 0 to {newest}.",
            )
        heard = select(entries, tenant, through=position)
        columns = {
            "batch_id": [entry.commit.batch_id for entry in heard],
            "position": [entry.commit.position for entry in heard],
            "recorded_at": [entry.commit.recorded_at for entry in heard],
            "first_seq": [entry.first_seq for entry in heard],
        }
        self.connection.register("heard_rows", pa.Table.from_pydict(columns, _HEARD))
        self.connection.execute("CREATE TEMP TABLE heard AS FROM heard_rows")
        return newest if position is None else position

    def _let(self, **values: object) -> None:
        for name, value in values.items():
            self.connection.execute(f"SET VARIABLE {name} = $1", [value])


def _only(statements: list[duckdb.Statement]) -> duckdb.Statement:
    """InputError unless it is one statement; PIVOT comes with blank ones before it."""
    asked = [one for one in statements if one.query or one.type == StatementType.SELECT]
    if not statements:
        raise InputError(
            "the SQL holds no statement", remedy=f"Ask for rows, such as `FROM {COMMITS.name}`."
        )
    if len(asked) > 1:
        raise InputError(
            f"the SQL holds {len(asked)} statements, and only one can be answered",
            remedy="Ask them one by one, or join them by WITH or UNION.",
        )
    return asked[0]


def _apart(names: Sequence[str]) -> list[str]:
    """The names, each of them once."""
    told: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in count(1))
        free = (one for one in numbered if one not in names and one not in told)
        told.append(next(free) if name in told else name)
    return told


def _rows(table: Table, spec: TableSpec, tenant: str) -> Any:
    """The tenant's rows, read when they are asked for; nothing of another one's."""
    paths = plan(table, equal_to("tenant", tenant))
    if not paths:
        return spec.arrow.empty_table()
    found: ds.Dataset = dataset(table, spec, paths)
    return found.filter(is_equal("tenant", tenant))


def text(name: str) -> str:
    """The SQL of that file."""
    return files(__package__).joinpath("sql", f"{name}.sql").read_text(encoding="utf-8")
