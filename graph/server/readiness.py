"""From started to ready: wait for an answer over Bolt, or say why none will come."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

import psutil

from graph.server import ending, probe
from graph.server.connection import Connection
from graph.server.layout import Layout
from lakehouse.local import processes
from lakehouse.model.errors import ConflictError, UnavailableError

START_SECONDS: Final = 180.0
_PAUSE: Final = 0.1


def wait(layout: Layout, process: psutil.Process, port: int, connection: Connection) -> None:
    """Return once the server has answered; raise when it ended or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if not processes.is_alive(process):
            raise _ended(layout, port)
        if processes.listens(process, port) and _answers(connection):
            return
        time.sleep(_PAUSE)
    raise UnavailableError(
        f"Neo4j did not answer within {START_SECONDS:.0f} s.",
        remedy=f"Look at {layout.log}; then run beliefgraph down and up again.",
        log=layout.log,
    )


def _answers(connection: Connection) -> bool:
    """False while its databases are not open yet: it listens before."""
    try:
        probe.ask(connection)
    except probe.GivenUp:
        raise
    except UnavailableError:
        return False
    return True


def _ended(layout: Layout, port: int) -> UnavailableError | ConflictError:
    """Why the server ended while it was starting, in its own last words."""
    said, why = _tail(layout.log) or _tail(layout.console), ending.of(layout)
    if why is not None:
        return UnavailableError(
            f"Neo4j ended while it was starting: {why.reason}.", remedy=why.remedy, log=layout.log
        )
    everything = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in (layout.log, layout.console)
        if path.exists()
    )
    if "already in use" in everything or "BindException" in everything:
        return ConflictError(
            f"Port {port} was taken by another program while Neo4j was starting.",
            remedy="Run beliefgraph up.",
            port=port,
        )
    return UnavailableError(
        f"Neo4j ended while it was starting; its last words: {said or 'none'}",
        remedy=f"Look at {layout.log} and {layout.console}.",
        log=layout.log,
    )


def _tail(path: Path) -> str:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        return ""
    return " / ".join([line.strip() for line in lines if line.strip()][-3:])
