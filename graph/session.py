"""One way to open a driver: reachable, let in, new enough, or a clear word why not."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import (
    AuthError,
    ClientError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
)
from neo4j.exceptions import ConfigurationError as DriverConfigurationError

from lakehouse.model.errors import BeliefgraphError, ConfigurationError, UnavailableError

OLDEST: Final = (5, 26)
SCHEMES: Final = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})
logging.getLogger("neo4j").addHandler(logging.NullHandler())
# The driver tells of every retry; without a configured log that would go to standard error.

_AGENT: Final = re.compile(r"(\d+)\.(\d+)")
_RATE_LIMIT: Final = "Neo.ClientError.Security.AuthenticationRateLimit"
_GIVEN_UP: Final = "Neo.DatabaseError.Transaction."
_NO_DATABASE: Final = "Neo.ClientError.Database.DatabaseNotFound"


class Connection(Protocol):
    """What is needed to reach a server (`graph.server.Connection` is one)."""

    @property
    def uri(self) -> str:
        """Where it listens, as `bolt://…` or `neo4j://…`."""
        ...

    @property
    def username(self) -> str:
        """Who we are."""
        ...

    @property
    def password(self) -> str:
        """How it knows."""
        ...

    @property
    def database(self) -> str:
        """The database's name."""
        ...


def open_driver(connection: Connection, *, warn: bool = False) -> Driver:
    """A driver whose server was asked something once; close it when done.

    `warn` turns the server's warnings into Python warnings (tests make errors of them). Hints
    about names not seen yet are off: a graph before its first edge knows none of ours. An empty
    password means a server without authentication.
    UnavailableError says what is wrong and what to do, ConfigurationError when the address or
    the server's version cannot be used.
    """
    if connection.uri.partition("://")[0] not in SCHEMES:
        raise _no_address(connection.uri)
    login = (connection.username, connection.password) if connection.password else None
    try:
        driver = GraphDatabase.driver(
            connection.uri,
            auth=login,
            user_agent="beliefgraph",
            connection_timeout=10.0,
            telemetry_disabled=True,
            notifications_min_severity="WARNING",
            notifications_disabled_classifications=["UNRECOGNIZED"],
            warn_notification_severity="WARNING" if warn else "OFF",
        )
    except (DriverConfigurationError, ValueError) as wrong:
        raise _no_address(connection.uri) from wrong
    try:
        _verify(driver, connection)
    except BaseException:
        driver.close()
        raise
    return driver


@contextmanager
def connected(
    connection: Connection, lost: Callable[[Exception], BeliefgraphError] | None = None
) -> Iterator[Driver]:
    """A driver for the block, closed behind it; UnavailableError where the server is lost in it.

    `lost` makes another error of that.
    """
    with open_driver(connection) as driver:
        try:
            yield driver
        except (Neo4jError, DriverError) as failed:
            raise (_unavailable(failed, connection) if lost is None else lost(failed)) from failed


def server_version(driver: Driver) -> tuple[int, int]:
    """Major and minor version of the server (2026.09 is (2026, 9))."""
    agent = driver.get_server_info().agent
    found = _AGENT.search(agent)
    if found is None:
        raise ConfigurationError(
            f"the server calls itself {agent!r}, which names no version",
            remedy="Point NEO4J_URI at Neo4j 5.26 or newer.",
        )
    return int(found.group(1)), int(found.group(2))


def _verify(driver: Driver, connection: Connection) -> None:
    try:
        with driver.session(database=connection.database) as session:
            session.run("RETURN 1 AS one").consume()
        version = server_version(driver)
    except (Neo4jError, DriverError) as failed:
        raise _unavailable(failed, connection) from failed
    if version < OLDEST:
        raise ConfigurationError(
            f"Neo4j {version[0]}.{version[1]} at {connection.uri} is too old",
            remedy="Use Neo4j 5.26 or newer.",
        )


def _no_address(uri: str) -> ConfigurationError:
    return ConfigurationError(
        f"{uri!r} is not an address of a Neo4j server",
        remedy="Set NEO4J_URI to bolt://HOST:PORT or neo4j+s://HOST.",
    )


def _unavailable(failed: Neo4jError | DriverError, connection: Connection) -> UnavailableError:
    code = failed.code if isinstance(failed, Neo4jError) else ""
    facts = {"uri": connection.uri, "database": connection.database, "code": code}
    if code == _RATE_LIMIT:
        return UnavailableError(
            f"Neo4j at {connection.uri} refuses {connection.username!r} after too many attempts "
            "with a wrong password",
            remedy="Wait a few seconds, then set the right NEO4J_PASSWORD.",
            **facts,
        )
    if isinstance(failed, AuthError):
        return UnavailableError(
            f"Neo4j at {connection.uri} does not accept the password of {connection.username!r}",
            remedy="Set NEO4J_USERNAME and NEO4J_PASSWORD to what that server knows.",
            **facts,
        )
    if code == _NO_DATABASE:
        return UnavailableError(
            f"Neo4j at {connection.uri} has no database {connection.database!r}",
            remedy="Set NEO4J_DATABASE to one it has (`neo4j` by default), or create it.",
            **facts,
        )
    if code is not None and code.startswith(_GIVEN_UP):
        return UnavailableError(
            f"the database of Neo4j at {connection.uri} has given up after an error of its own, "
            "most often a full disk",
            remedy="Make room on its disk and start it anew (the local one: beliefgraph up does "
            "so); the graph is a projection, nothing is lost.",
            **facts,
        )
    if isinstance(failed, ServiceUnavailable):
        return UnavailableError(
            f"nothing answers as Neo4j at {connection.uri}",
            remedy="Start the server (`beliefgraph up` for the local one) or correct NEO4J_URI.",
            **facts,
        )
    kind = "refused to answer" if isinstance(failed, ClientError) else "cannot be used"
    return UnavailableError(
        f"Neo4j at {connection.uri} {kind}: {failed}",
        remedy="Look into the server's log, then try again.",
        **facts,
    )
