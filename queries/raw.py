"""Raw Cypher: whatever the caller wrote, in one read transaction between two looks at the epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from neo4j import Session, Transaction
from neo4j.exceptions import ClientError, ResultConsumedError

from graph.statements import statement
from lakehouse.model.errors import InputError
from queries.basis import Basis, State
from queries.reading import SECONDS, check_epoch, state_of

MOST_ROWS: Final = 100_000


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """Columns and rows as the database gave them, and the basis that was bound."""

    text: str
    basis: Basis
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def read_raw(
    session: Session, tenant: str, text: str, parameters: Mapping[str, object]
) -> tuple[State, tuple[str, ...], tuple[tuple[Any, ...], ...]]:
    """State, columns and rows; InputError where the text is wrong, writes, or returns too much."""
    with session.begin_transaction(timeout=SECONDS) as transaction:
        before = _state(transaction, tenant)
        try:
            result = transaction.run(text, dict(parameters))
            columns = tuple(result.keys())
            rows = tuple(tuple(record.values()) for record in result.fetch(MOST_ROWS + 1))
        except (ClientError, ResultConsumedError) as wrong:
            raise InputError(
                f"Neo4j refused the Cypher text: {wrong}",
                remedy="Only reads are allowed; correct the text.",
            ) from wrong
        if len(rows) > MOST_ROWS:
            raise InputError(
                f"the Cypher text returns more than {MOST_ROWS} rows",
                remedy="Add a LIMIT, or collect() into fewer rows.",
            )
        after = _state(transaction, tenant)
    check_epoch(before.epoch, after.epoch)
    return after, columns, rows


def _state(transaction: Transaction, tenant: str) -> State:
    row = transaction.run(statement("projection"), {"tenant": tenant}).single(strict=True)
    return state_of(row["projection"])
