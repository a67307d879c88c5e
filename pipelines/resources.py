"""What assets are handed: the lake, the graph, and where progress is told.

Each is opened from the environment when a run needs it, never at import or at definition time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from dagster import ConfigurableResource
from neo4j import Driver
from pydantic import PrivateAttr

from graph import schema
from graph.server import connection_from, home_from
from graph.session import connected
from lakehouse.iceberg import IcebergLedger, open_ledger
from pipelines.progress import say

SECONDS_BETWEEN: Final = 2.0
"""Progress that comes often is told this far apart."""


class Lake(ConfigurableResource):  # type: ignore[type-arg]
    """The ledger of this home, or the one that PyIceberg's own configuration names."""

    _ledger: IcebergLedger | None = PrivateAttr(default=None)

    @property
    def ledger(self) -> IcebergLedger:
        """The ledger, opened once a process."""
        if self._ledger is None:
            self._ledger = open_ledger(home_from(os.environ), os.environ)
        return self._ledger

    def key(self, tenant: str) -> bytes:
        """The key of a tenant's digests."""
        return self.ledger.key(tenant).secret


class Graph(ConfigurableResource):  # type: ignore[type-arg]
    """The Neo4j server that `NEO4J_URI` names, or the managed one of this home."""

    @contextmanager
    def open(self) -> Iterator[tuple[Driver, str]]:
        """A driver and the database's name; closed at the end."""
        connection = connection_from(os.environ)
        with connected(connection) as driver:
            schema.ensure(driver, connection.database)
            yield driver, connection.database


class Narrator(ConfigurableResource):  # type: ignore[type-arg]
    """Progress for a person at a terminal; silent under `dg dev`, where the log shows it."""

    echo: bool = False
    results: bool = True
    """Whether each step's own result is told, or only what is on its way."""
    _told: float = PrivateAttr(default_factory=time.monotonic)

    def often(self, line: str) -> None:
        """A line of which many come: told when two seconds have passed since the last."""
        if time.monotonic() - self._told >= SECONDS_BETWEEN:
            self._write(line)

    def say(self, line: str) -> None:
        """What a step did, on standard error."""
        if self.results:
            self._write(line)

    def _write(self, line: str) -> None:
        if self.echo:
            say(line)
            self._told = time.monotonic()
