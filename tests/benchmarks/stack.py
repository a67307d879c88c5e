"""A home of its own with a server of its own, and nothing of the user's within reach.

The line reads its settings from the environment, so the environment is this home's while the
block runs. The server is stopped and the environment put back however the block ends.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from neo4j import Driver

from graph import schema, server
from graph.session import open_driver
from lakehouse.catalog import configured
from lakehouse.model.errors import ConfigurationError

Say = Callable[[str], None]

_FOREIGN = ("NEO4J_", "PYICEBERG_", "DAGSTER_HOME", "BELIEFGRAPH_TENANT")


@dataclass(frozen=True, slots=True)
class Stack:
    """An empty lake's home and a running server that nobody else uses."""

    home: Path
    driver: Driver
    database: str
    process: psutil.Process
    seconds_up: float


@contextmanager
def stack(home: Path, say: Say, *, memory: str | None = None) -> Iterator[Stack]:
    """Start the server of a home, with so much memory if told; stop it at the end."""
    settings = {name: text for name, text in os.environ.items() if not name.startswith(_FOREIGN)}
    with _environment({**settings, "BELIEFGRAPH_HOME": str(home)}):
        if configured(os.environ):
            raise ConfigurationError(
                "a .pyiceberg.yaml names a catalog, and a benchmark would write into it",
                remedy="Run where PyIceberg finds no configuration file.",
            )
        began = time.monotonic()
        try:
            connection = server.up(os.environ, memory=memory, progress=say)
            taken = time.monotonic() - began
            with open_driver(connection) as driver:
                schema.ensure(driver, connection.database)
                pid = server.status(os.environ).pid
                assert pid is not None
                yield Stack(home, driver, connection.database, psutil.Process(pid), taken)
        finally:
            server.down(os.environ, progress=say)


@contextmanager
def home_for(name: str, keep: Path | None) -> Iterator[Path]:
    """A new folder, removed at the end; or one under `keep`, left there."""
    if keep is None:
        folder = Path(tempfile.mkdtemp(prefix=f"beliefgraph-bench-{name}-"))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return
    folder = keep.resolve() / name
    if folder.exists() and any(folder.iterdir()):
        raise ConfigurationError(
            f"{folder} is not empty, and a benchmark begins with nothing",
            remedy="Remove it, or keep the homes of this run elsewhere.",
        )
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


@contextmanager
def _environment(settings: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
