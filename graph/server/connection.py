"""Where Bolt is: an address, a login, a database, and whether the server is ours.

With `NEO4J_URI` set the server is somebody else's: it is used, never started or stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from lakehouse.model.errors import ConfigurationError

SCHEMES: Final = frozenset({"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"})
DEFAULT_USERNAME: Final = "neo4j"
DEFAULT_DATABASE: Final = "neo4j"


@dataclass(frozen=True, slots=True)
class Connection:
    """All that a driver needs to reach one database; the password never shows in a repr."""

    uri: str
    username: str
    password: str = field(repr=False)
    database: str
    managed: bool


def external_from(environ: Mapping[str, str]) -> Connection | None:
    """The server that `NEO4J_URI` names, or None where it is unset or empty."""
    uri = environ.get("NEO4J_URI", "").strip()
    if not uri:
        return None
    _check_address(uri)
    if "NEO4J_PASSWORD" not in environ:
        raise ConfigurationError(
            f"NEO4J_URI is set to {uri}, but NEO4J_PASSWORD is not set.",
            remedy="Set it (empty for a server without authentication), or unset NEO4J_URI "
            "to use the managed server.",
        )
    return Connection(
        uri=uri,
        username=environ.get("NEO4J_USERNAME") or DEFAULT_USERNAME,
        password=environ["NEO4J_PASSWORD"],
        database=environ.get("NEO4J_DATABASE") or DEFAULT_DATABASE,
        managed=False,
    )


def _check_address(uri: str) -> None:
    """Refuse what no driver could use, without repeating a password that stands in it."""
    example = "Write it as neo4j://host:7687 or bolt://host:7687."
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ConfigurationError(f"NEO4J_URI cannot be read: {error}.", remedy=example) from error
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            "NEO4J_URI carries a login, which drivers do not read.",
            remedy="Give it in NEO4J_USERNAME and NEO4J_PASSWORD instead.",
        )
    if parts.scheme not in SCHEMES or not host:
        raise ConfigurationError(f"NEO4J_URI {uri!r} is no Bolt address.", remedy=example)
