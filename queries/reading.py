"""One read is one statement in a read transaction: the answer and the state it was read from.

A read that saw the epoch move is repeated, and so is one that the server gave up on its own
account (an outdated transaction); both a bounded number of times.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, LiteralString, TypeVar

from neo4j import READ_ACCESS, Driver, Query, Session
from neo4j.exceptions import AuthError, DriverError, Neo4jError, ServiceUnavailable

from graph.schema import VERSION
from graph.state import snapshots_of
from graph.statements import statement
from lakehouse.model.errors import (
    BeliefgraphError,
    ConflictError,
    InputError,
    IntegrityError,
    UnavailableError,
)
from lakehouse.model.instants import ALWAYS
from queries.basis import State

ATTEMPTS: Final = 8
PAUSE: Final = 0.02
"""Seconds before the second attempt; it doubles from one to the next."""
SECONDS: Final = 60.0
"""How long one read may take on the server."""

_NO_INDEX: Final = "Neo.ClientError.Schema.IndexNotFound"

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Found:
    """What a verb returned, and the state of the graph it was read from."""

    rows: Any
    state: State


class EpochMoved(Exception):
    """The graph changed under the read: below the watermark, or where it relied on no change."""


class Reader:
    """Reads one database. Safe to share between threads: every read has its own session."""

    def __init__(self, driver: Driver, database: str | None, *, pause: float = PAUSE) -> None:
        self._driver = driver
        self._database = database
        self._pause = pause
        self.crowded: Final[set[str]] = set()
        """Keys that were found to have very many edges (queries.keyed)."""

    def tenants(self) -> list[str]:
        """The tenants that the graph holds."""
        return self.repeated(
            lambda session: [
                row["tenant"] for row in _run(session, statement("tenants", "queries"))
            ]
        )

    def read(
        self,
        tenant: str,
        text: LiteralString,
        parameters: Mapping[str, object],
        *,
        relies: Callable[[Any], bool] = lambda found: False,
    ) -> Found:
        """Run a framed verb. InputError for a tenant that the graph does not hold.

        `relies` says of what was found whether it holds only if no batch was open meanwhile.
        """
        given = {"tenant": tenant, **parameters}

        def once(session: Session) -> Found | None:
            rows = _run(session, text, given)
            if not rows:
                return None
            epoch, changed, calm, found, projection = rows[0]
            state = state_of(projection)
            check_epoch(epoch, state.epoch)
            check_below(projection)
            if relies(found) and not (calm and _calm_since(changed, projection)):
                raise EpochMoved("a batch was begun or ended while a dense key was read")
            return Found(found, state)

        return self._known(tenant, self.repeated(once))

    def state(self, tenant: str) -> State:
        """What the graph says of itself for a tenant; InputError for an unknown one."""

        def once(session: Session) -> State | None:
            rows = _run(session, statement("projection"), {"tenant": tenant})
            return state_of(rows[0]["projection"]) if rows else None

        return self._known(tenant, self.repeated(once))

    def repeated(self, work: Callable[[Session], _Result]) -> _Result:
        """Do a read until it is one of a single state; UnavailableError when it never is."""
        last: Exception | None = None
        for attempt in range(ATTEMPTS):
            if attempt:
                time.sleep(self._pause * 2 ** (attempt - 1))
            try:
                with self._session() as session:
                    return work(session)
            except EpochMoved as moved:
                last = moved
            except (Neo4jError, DriverError) as failed:
                if not failed.is_retryable() or isinstance(failed, AuthError):
                    raise unavailable(failed) from failed
                last = failed
        if isinstance(last, (Neo4jError, DriverError)):
            raise unavailable(last) from last
        raise UnavailableError(
            f"the graph was being changed below its watermark during {ATTEMPTS} attempts to read",
            remedy="Try again when the running repair, erasure or rebuild is done.",
        ) from last

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with self._driver.session(
            database=self._database, default_access_mode=READ_ACCESS, fetch_size=-1
        ) as session:
            yield session

    def _known(self, tenant: str, result: _Result | None) -> _Result:
        if result is not None:
            return result
        tenants = self.tenants()
        if not tenants:
            raise UnavailableError(
                "the graph holds no tenant yet",
                remedy="Run `beliefgraph run TENANT` to land, believe and project a source.",
            )
        raise InputError(
            f"unknown tenant {tenant!r}",
            remedy=f"The graph knows {', '.join(tenants)}; beliefgraph run {tenant} brings in one "
            "that only the lake holds.",
            tenant=tenant,
        )


def state_of(projection: Mapping[str, object]) -> State:
    """The Projection node's properties as a value; what was never set reads as its beginning.

    ConflictError where another version of beliefgraph wrote that tenant's edges.
    """

    def number(name: str, default: int) -> int:
        value = projection.get(name)
        return value if isinstance(value, int) else default

    version = number("schema_version", 0)
    if version != VERSION:
        raise ConflictError(
            f"the graph of tenant {projection.get('tenant')!r} was written by another version of "
            f"beliefgraph: schema {version}, this one reads {VERSION}",
            remedy=f"Run `beliefgraph run {projection.get('tenant')}`: it makes an older graph "
            "anew from the lake.",
            schema_version=version,
        )
    watermark = projection.get("watermark")
    return State(
        position=number("position", 0),
        watermark=watermark if isinstance(watermark, int) else None,
        epoch=number("epoch", 0),
        generation=number("generation", 0),
        digest=str(projection.get("digest") or ""),
        attested_to=number("attested_to", ALWAYS),
        snapshots=_snapshots(projection),
        differs_since=number("differs_since", 0) or None,
    )


def _snapshots(projection: Mapping[str, object]) -> dict[str, int | None]:
    found = snapshots_of(projection)
    if found is None:
        tenant = projection.get("tenant")
        raise IntegrityError(
            f"the graph of tenant {tenant!r} does not tell which snapshots it comes from",
            remedy=f"Mend it: beliefgraph verify {tenant} --repair.",
        )
    return found


def check_epoch(before: int, after: int) -> None:
    """EpochMoved unless both looks at the epoch saw the same."""
    if before != after:
        raise EpochMoved(f"epoch {before} became {after}")


def check_below(projection: Mapping[str, object]) -> None:
    """EpochMoved while a batch changes what is at or below the watermark."""
    if projection.get("below"):
        raise EpochMoved("what is below the watermark is being changed")


def _calm_since(changed: int | None, projection: Mapping[str, object]) -> bool:
    """No batch is open, and none was begun and ended since: both say when, a repair's too."""
    return projection.get("projecting") is None and projection.get("updated_at") == changed


def unavailable(failed: Neo4jError | DriverError) -> BeliefgraphError:
    """The driver's error as one of ours."""
    if isinstance(failed, ServiceUnavailable):
        return UnavailableError(
            "the Neo4j server does not answer any more",
            remedy="See `beliefgraph status`; start the local one with `beliefgraph up`.",
        )
    code = failed.code if isinstance(failed, Neo4jError) else type(failed).__name__
    if code == _NO_INDEX:
        return IntegrityError(
            f"the graph lacks an index that this read needs: {failed}",
            remedy="Run `beliefgraph run TENANT`, of any tenant: it makes what is missing.",
            code=code,
        )
    return UnavailableError(
        f"Neo4j could not answer: {failed}",
        remedy="Run `beliefgraph doctor`; then try again.",
        code=code,
    )


def _run(
    session: Session, text: LiteralString, parameters: Mapping[str, object] | None = None
) -> list[Any]:
    return list(session.run(Query(text, timeout=SECONDS), dict(parameters or {})))
