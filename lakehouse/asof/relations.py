"""One tenant's committed statements as relations of an in-memory DuckDB.

`said` is what paints, `undoing` what undoes or erases, `erasing` the targets of the latter. They
stand on rows in the columns of the lake's own `statements` table: files of the lake (asof.lake),
or an Arrow table (here). A relation sees one state of the ledger and keeps it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

import duckdb
import pyarrow as pa

from lakehouse.asof.texts import sql
from lakehouse.codec_statements import statement_rows
from lakehouse.model.instants import FOREVER, UNTIL_CHANGED
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import Statement

_BATCH: Final = "in memory"
HEARD: Final = pa.schema(
    [("batch_id", pa.large_string()), ("recorded_at", pa.int64()), ("first_seq", pa.int64())]
)
"""Committed batches: their recorded instant (µs UTC) and the place of their first statement."""
_RULES: Final = pa.schema(
    [
        ("listener", pa.int64()),
        ("min_trust", pa.int32()),
        ("sources", pa.list_(pa.large_string())),
        ("max_classification", pa.int32()),
        ("tags", pa.list_(pa.large_string())),
    ]
)


class Statements:
    """The relations of one tenant. Not to be shared between threads."""

    def __init__(self, tenant: str, heard: pa.Table) -> None:
        """`heard` names the committed batches (columns of `HEARD`); rows come by `tell`."""
        self.tenant: Final = tenant
        self._erases = self._undoes = False
        self._listened = "listens"
        self.connection: Final = duckdb.connect(":memory:")
        self.let(tenant=tenant, forever=FOREVER, until_changed=UNTIL_CHANGED)
        self.connection.register("heard_rows", heard)
        self.connection.execute("CREATE TEMP TABLE heard AS FROM heard_rows")

    @classmethod
    def of(cls, tenant: str, ledger: Iterable[Statement]) -> Statements:
        """Of statements held in memory; their order is that of (recorded_at, seq)."""
        ordered = sorted(ledger, key=lambda statement: statement.order)
        rows = statement_rows(tenant, _BATCH, list(map(Extracted, ordered)), Clock.ATTESTED)
        return cls.over(tenant, rows)

    @classmethod
    def over(cls, tenant: str, rows: pa.Table) -> Statements:
        """Of rows of the `statements` table that one batch committed.

        Each row gives its own `recorded_at`; `ordinal` is its place in the ledger.
        """
        batches = rows["batch_id"].unique().to_pylist()
        heard = pa.Table.from_pylist([{"batch_id": b, "first_seq": 0} for b in batches], HEARD)
        statements = cls(tenant, heard)
        statements.connection.register("stored", rows)
        statements.connection.register("stored_undoing", rows)
        statements.tell()
        return statements

    def tell(self) -> None:
        """Make the relations over `stored` and `stored_undoing`."""
        for verb in ("tell", "undo", "erase"):
            self.do(verb)
        kinds = {op for (op,) in self.connection.table("undoing").select("op").fetchall()}
        self._erases, self._undoes = "erase" in kinds, not kinds <= {"erase"}

    def listen(self, listeners: Listeners) -> None:
        """Have the tenant's listeners as the table `rules`."""
        rows = [
            {
                "listener": 1 << bit,
                "min_trust": rule.min_trust,
                "sources": sorted(rule.sources),
                "max_classification": rule.max_classification,
                "tags": sorted(rule.tags),
            }
            for bit, rule in enumerate(listeners.rules)
        ]
        self.table("rules", pa.Table.from_pylist(rows, _RULES))
        choosy = any(row["sources"] or row["tags"] for row in rows)
        self._listened = "listens" if choosy else "everyone"

    def about(self, subjects: Collection[str] | None) -> None:
        """A question is about these subjects (None: any); stored rows of others may stay unread."""

    @property
    def erasure(self) -> str:
        """The fragment that tells what is erased; the dearer one only where anything was."""
        return "erased" if self._erases else "kept"

    def gather(self, verb: str, names: str = "name") -> None:
        """Gather what is near to the questions, and settle what undoes any of it.

        `names` is the verb that tells what of it is undone.
        """
        self.do(verb, self._listened)
        if self._undoes:
            self.do(names)
            if self.connection.table("named").limit(1).fetchone():
                self.do("settle")
                return
        self.do("untouched")

    def table(self, name: str, rows: pa.Table) -> None:
        """Have (or replace) a table of a question's own."""
        self.connection.register(f"{name}_rows", rows)
        self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS FROM {name}_rows")
        self.connection.unregister(f"{name}_rows")

    def do(self, verb: str, *words: str) -> None:
        """Run a verb that makes relations."""
        self.connection.execute(sql(verb, *words))

    def ask(self, verb: str, *words: str) -> pa.Table:
        """The rows of a verb."""
        return self.connection.execute(sql(verb, *words)).to_arrow_table()

    def let(self, **values: object) -> None:
        """Set variables that verbs read."""
        for name, value in values.items():
            self.connection.execute(f"SET VARIABLE {name} = $1", [value])
