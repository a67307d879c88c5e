"""Does Bolt answer? The only proof that counts is a query's answer with our password."""

from __future__ import annotations

from typing import Final

from neo4j import GraphDatabase
from neo4j.exceptions import AuthError, DriverError, Neo4jError
from neo4j.exceptions import ConfigurationError as DriverSettingError

from graph.server.connection import Connection
from lakehouse.model.errors import ConfigurationError, UnavailableError

_TIMEOUT_SECONDS: Final = 10.0
_GIVEN_UP: Final = "Neo.DatabaseError.Transaction.TransactionStartFailed"


class GivenUp(UnavailableError):
    """It answers, but its database takes nothing any more until it is started anew."""


def ask(connection: Connection) -> None:
    """Run `RETURN 1`; UnavailableError if nobody answers, ConfigurationError on a wrong login."""
    try:
        with GraphDatabase.driver(
            connection.uri,
            auth=(connection.username, connection.password),
            connection_timeout=_TIMEOUT_SECONDS,
            connection_acquisition_timeout=_TIMEOUT_SECONDS,
            max_transaction_retry_time=0,
        ) as driver:
            driver.execute_query("RETURN 1", database_=connection.database)
    except AuthError as error:
        where = "the file neo4j/password of the home" if connection.managed else "NEO4J_PASSWORD"
        raise ConfigurationError(
            f"The server at {connection.uri} refuses the login of {connection.username!r}.",
            remedy=f"Its password is not the one in {where}.",
            uri=connection.uri,
        ) from error
    except DriverSettingError as error:
        raise ConfigurationError(
            f"The address {connection.uri} cannot be used: {error}.",
            remedy="Correct NEO4J_URI.",
            uri=connection.uri,
        ) from error
    except (DriverError, Neo4jError, OSError) as error:
        if isinstance(error, Neo4jError) and error.code == _GIVEN_UP:
            raise GivenUp(
                f"The database at {connection.uri} has given up after an error.",
                remedy="Start it anew: beliefgraph down, then beliefgraph up.",
                uri=connection.uri,
            ) from error
        raise UnavailableError(
            f"The Neo4j server at {connection.uri} (database {connection.database}) does not "
            f"answer: {type(error).__name__}.",
            remedy="Look at its log."
            if connection.managed
            else "Start that server, or correct NEO4J_URI and NEO4J_DATABASE.",
            uri=connection.uri,
        ) from error
