"""A home inside the home, with a server of its own, where a new store is made and proved.

It shares the home's jars and Java, password and memory, and none of its data: whatever goes wrong
in it, the server that answers is not touched. What a broken-off one left behind is removed by the
next.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from graph import server
from graph.server import admin, starting
from graph.server.connection import Connection
from graph.server.layout import Choices, Layout
from graph.server.release import Release, choose
from lakehouse.ledger import Progress
from lakehouse.local import processes
from lakehouse.local.home import home_from
from lakehouse.local.lock import exclusive
from lakehouse.model.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Workshop:
    """The inner home, and what it has from the outer one."""

    layout: Layout
    environ: Mapping[str, str]
    release: Release
    choices: Choices

    @property
    def files(self) -> Path:
        """Where the export goes."""
        return self.layout.home / "export"

    def tool(self, progress: Progress) -> admin.Tool:
        """Neo4j's admin tool, at work on the new store."""
        return starting.tool_for(self.layout, self.release, self.environ, progress)

    def up(self, progress: Progress) -> Connection:
        """Start the inner server on the new store."""
        memory = f"{self.choices.heap_mb + self.choices.page_cache_mb}m"
        return server.up(self.environ, memory=memory, neo4j=self.release.series, progress=progress)

    def down(self) -> None:
        """Stop the inner server, if it runs."""
        server.down(self.environ)


@contextmanager
def opened(environ: Mapping[str, str], *, progress: Progress) -> Iterator[Workshop]:
    """An empty workshop in this home, whose server has been started before; gone afterwards.

    ConflictError while another process has one.
    """
    outer = Layout(home_from(environ))
    choices = outer.choices()
    if choices is None:
        raise ConfigurationError(
            f"No server was ever started in {outer.home}.", remedy="Run beliefgraph up."
        )
    with exclusive(
        outer.root / "rebuild.lock", progress=progress, doing="rebuilding the graph", seconds=0
    ):
        inner = Layout(outer.workshop)
        made = Workshop(
            inner,
            {**environ, "BELIEFGRAPH_HOME": str(inner.home)},
            choose(None, choices.version),
            choices,
        )
        _remove(made)
        try:
            _furnish(outer, made)
            yield made
        finally:
            _remove(made)


def _furnish(outer: Layout, made: Workshop) -> None:
    made.layout.root.mkdir(parents=True)
    made.layout.lib.symlink_to(outer.lib)
    made.layout.java.symlink_to(outer.java)
    made.layout.prepare()
    made.files.mkdir()
    shutil.copy2(outer.password, made.layout.password)


def _remove(made: Workshop) -> None:
    """Everything of it, processes first: an import may have outlived the one who started it."""
    if not made.layout.home.exists():
        return
    made.down()
    tool = admin.mark(made.layout.root)
    process = processes.find(tool, None)
    if process is not None:
        processes.kill(tool, process)
    shutil.rmtree(made.layout.home)
