"""Which process is a home's Neo4j: two arguments of its command line name this home.

The main class has another name in each series, so it is no mark.
"""

from __future__ import annotations

import psutil

from graph.server.layout import Layout
from lakehouse.local import processes
from lakehouse.local.processes import Server


def mark(layout: Layout) -> Server:
    """The Neo4j of that home, as processes are told apart."""
    return Server(
        name="Neo4j",
        marks=arguments(layout),
        after_kill="the next start recovers the graph from its log",
    )


def find(layout: Layout) -> psutil.Process | None:
    """The running Neo4j of this home, if any."""
    return processes.find(mark(layout), layout.running())


def arguments(layout: Layout) -> tuple[str, str]:
    """What the server is started with, and known by."""
    return f"--home-dir={layout.root}", f"--config-dir={layout.conf}"
