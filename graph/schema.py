"""Constraints and indexes, created and then looked at: a missing one is an error, not a wait.

The wanted ones are `graph/cypher/schema.cypher`. What counts is what an index is on, not its
name, so one made by hand under another name is as good. An index of ours on a column that
changes is an error too: it makes readers miss edges while a projector runs (DESIGN section 7).
"""

from __future__ import annotations

import re
from typing import Final, LiteralString, NamedTuple

from neo4j import Driver, ManagedTransaction
from neo4j.exceptions import ClientError, DatabaseError

from graph.statements import statement, statements
from lakehouse.model.errors import ConflictError, IntegrityError

VERSION: Final = 4
"""Of what is written into the graph. A tenant's projection of an older one is made anew."""
CHANGING: Final = frozenset({"recorded_to", "classification", "closed_by", "reason"})
RELATIONSHIPS: Final = frozenset({"BELIEF", "ATTRIBUTE", "CONFIRMS", "MENTIONS"})

_NOT_UNIQUE: Final = "Neo.DatabaseError.Schema.ConstraintCreationFailed"
_INDEXED: Final = "Neo.ClientError.Schema.IndexAlreadyExists"
_WANTED: Final = re.compile(
    r"CREATE (?P<what>CONSTRAINT|INDEX) (?P<name>\w+) .*?"
    r"(?:\(\w+:(?P<label>\w+)\)|\[\w+:(?P<type>\w+)\]).*?"
    r"(?:REQUIRE|ON) \(?(?P<columns>[\w., ]+?)\)?(?: IS UNIQUE)?$",
    re.DOTALL,
)


class NotUniqueError(IntegrityError):
    """What must be there once is there twice, so that its constraint cannot be made."""


class Wanted(NamedTuple):
    """One constraint or index: its name with us, and what it is on."""

    name: str
    unique: bool
    on: str
    columns: tuple[str, ...]
    create: LiteralString


def wanted() -> tuple[Wanted, ...]:
    """The constraints and indexes of the schema file."""
    return tuple(_wanted(text) for text in statements("schema"))


def ensure(driver: Driver, database: str, *, seconds: int = 300) -> None:
    """Create what is missing, wait until it is online, check all of it and the version.

    NotUniqueError where something is there twice, IntegrityError where an index is in the way.
    """
    for each in wanted():
        if each.unique:
            _create(driver, database, each)
    with driver.session(database=database) as session:
        session.execute_write(_create_indexes)
    driver.execute_query(statement("await_indexes"), seconds=seconds, database_=database)
    found = driver.execute_query(
        statement("schema_version"), version=VERSION, database_=database
    ).records[0]["version"]
    if found != VERSION:
        raise ConflictError(
            f"the graph has schema version {found}, this beliefgraph writes {VERSION}",
            remedy="Use the version of beliefgraph that made it, or rebuild into a fresh store.",
        )
    check(driver, database)


def _create(driver: Driver, database: str, each: Wanted) -> None:
    try:
        driver.execute_query(each.create, database_=database)
    except ClientError as failed:
        if failed.code != _INDEXED:
            raise
        raise IntegrityError(
            f"the constraint {each.name} was dropped and cannot be made again: somebody else's "
            f"index stands on {each.on} ({', '.join(each.columns)})",
            remedy="SHOW INDEXES names it: DROP INDEX its name, then run again.",
            constraint=each.name,
        ) from failed
    except DatabaseError as failed:
        if failed.code != _NOT_UNIQUE:
            raise
        raise NotUniqueError(
            f"the constraint {each.name} was dropped and cannot be made again: two of {each.on} "
            f"have the same {', '.join(each.columns)}",
            remedy="Mend it: beliefgraph verify TENANT --repair, for each tenant.",
            constraint=each.name,
        ) from failed


def _create_indexes(tx: ManagedTransaction) -> None:
    """In one transaction, so that they are filled by one walk over the store."""
    for each in wanted():
        if not each.unique:
            tx.run(each.create).consume()


def check(driver: Driver, database: str) -> None:
    """IntegrityError unless every constraint and index is there, online, and none is harmful."""
    unique: set[tuple[str, tuple[str, ...]]] = set()
    online: set[tuple[str, tuple[str, ...]]] = set()
    failed: list[str] = []
    taken: set[str] = set()
    for row in driver.execute_query(statement("show_constraints"), database_=database).records:
        if "UNIQUENESS" in row["type"]:
            unique.add((row["names"][0], tuple(row["properties"])))
    for row in driver.execute_query(statement("show_indexes"), database_=database).records:
        names, columns = row["names"] or [], tuple(row["properties"] or ())
        _refuse_harmful(row["name"], row["entity"], names, columns)
        taken.add(row["name"])
        if row["state"] != "ONLINE":
            failed.append(f"{row['name']} ({row['state'].lower()})")
        elif row["type"] == "RANGE" and len(names) == 1:
            online.add((names[0], columns))
    missing = [
        each.name
        for each in wanted()
        if (each.on, each.columns) not in (unique if each.unique else online)
    ]
    if missing or failed:
        raise IntegrityError(
            "the graph's schema is not complete: "
            + "; ".join(
                part
                for part in (
                    "missing " + ", ".join(missing) if missing else "",
                    "not online " + ", ".join(failed) if failed else "",
                )
                if part
            ),
            remedy=_remedy(sorted(taken.intersection(missing))),
            missing=missing,
            failed=failed,
        )


def _remedy(taken: list[str]) -> str:
    """What to do about those that are missing, of whose names these stand for something else."""
    if taken:
        names = ", ".join(taken)
        return f"On something else than ours is what is called {names}: drop it, then run again."
    return "Run graph.schema.ensure (every `beliefgraph run` does); drop a failed index first."


def _refuse_harmful(name: str, entity: str, on: list[str], columns: tuple[str, ...]) -> None:
    held = CHANGING.intersection(columns)
    if entity == "RELATIONSHIP" and held and RELATIONSHIPS.intersection(on):
        raise IntegrityError(
            f"index {name} holds {', '.join(sorted(held))}, which changes: readers would miss "
            "edges while a projector runs",
            remedy=f"DROP INDEX {name}",
            index=name,
        )


def _wanted(text: LiteralString) -> Wanted:
    found = _WANTED.match(text)
    if found is None:
        raise IntegrityError(
            f"graph/cypher/schema.cypher has a statement that is neither constraint nor index: "
            f"{text!r}",
            remedy="Reinstall beliefgraph.",
        )
    columns = tuple(part.split(".")[1] for part in found["columns"].split(","))
    return Wanted(
        name=found["name"],
        unique=found["what"] == "CONSTRAINT",
        on=found["label"] or found["type"],
        columns=columns,
        create=text,
    )
