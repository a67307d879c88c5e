"""Which process is a home's Neo4j: its command line names Neo4j's main class and this home."""

from __future__ import annotations

from pathlib import Path

import psutil

from graph.server.layout import Layout
from graph.server.release import SERVER_MAIN
from lakehouse.local import processes
from lakehouse.local.processes import Server


def mark(layout: Layout) -> Server:
    """The Neo4j of that home, as processes are told apart."""
    return Server(
        name="Neo4j",
        marks=(SERVER_MAIN, home_argument(layout.root)),
        after_kill="the next start recovers the graph from its log",
    )


def find(layout: Layout) -> psutil.Process | None:
    """The running Neo4j of this home, if any."""
    return processes.find(mark(layout), layout.running())


def home_argument(root: Path) -> str:
    """The argument that names the home, and so marks a process as ours."""
    return f"--home-dir={root}"
