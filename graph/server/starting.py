"""From stopped to answering: jars, Java, store and password first, then the process.

Called under the home's lock. A start that fails, or is interrupted, leaves nothing running and
the store that was there before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import psutil

from graph.server import (
    ending,
    first_start,
    jars,
    java,
    launch,
    mark,
    memory,
    readiness,
    room,
    store,
)
from graph.server.admin import Tool
from graph.server.connection import DEFAULT_DATABASE, DEFAULT_USERNAME, Connection
from graph.server.layout import Choices, Layout, maven_repository_from
from graph.server.memory import Memory
from graph.server.release import Release
from lakehouse.ledger import Progress
from lakehouse.local import ports, processes
from lakehouse.model.errors import ConflictError

_PORT_ATTEMPTS: Final = 3


def tool_for(
    layout: Layout, release: Release, environ: Mapping[str, str], progress: Progress
) -> Tool:
    """Java and every jar in place and checked: fetched, if need be."""
    classpath = jars.ensure(layout, release, maven_repository_from(environ), progress=progress)
    program = java.find(layout, release, environ, progress=progress)
    java_environ = launch.java_environment(layout, classpath, environ)
    return Tool(program, release, layout.root, java_environ)


def start(
    layout: Layout,
    release: Release,
    planned: Memory,
    environ: Mapping[str, str],
    progress: Progress,
) -> Connection:
    """Start the server and wait until it answers."""
    if layout.running() is not None:
        why = ending.of(layout)
        progress(
            "the last server ended without being stopped"
            + (f": {why}" if why else "")
            + "; its record is removed"
        )
        layout.forget_running()
    short = memory.shortage(planned, available_mb=memory.available_mb())
    if short is not None:
        progress(short)
    first = not store.is_store(layout)
    room.require(layout.root, room.FIRST_START_MB if first else room.START_MB, "Neo4j's start")
    tool = tool_for(layout, release, environ, progress)
    store.recover(layout, progress=progress)
    store.set_aside_foreign(layout, release, progress=progress)
    layout.settings.unlink(missing_ok=True)  # The admin tool refuses another version's.
    try:
        first_start.prepare(layout, tool, progress=progress)
        connection = _launch(layout, planned, tool, progress, attempts=_PORT_ATTEMPTS)
    except BaseException:
        store.recover(layout, progress=progress)
        raise
    store.settle(layout)
    return connection


def _launch(
    layout: Layout, planned: Memory, tool: Tool, progress: Progress, *, attempts: int
) -> Connection:
    """Start the process and wait for it; on another port if a stranger was quicker."""
    choices = _choose(layout, planned, tool.release, progress)
    launch.write_settings(layout, tool.release, choices)
    layout.remember(choices)
    progress(f"starting Neo4j {choices.version} ({planned}) at {uri(choices.bolt_port)}")
    connection = connection_of(layout, choices)
    process: psutil.Process | None = None
    try:
        process = launch.spawn(layout, choices, tool)
        readiness.wait(layout, process, choices.bolt_port, connection)
    except ConflictError:
        layout.forget_running()
        if attempts == 1:
            raise
        return _launch(layout, planned, tool, progress, attempts=attempts - 1)
    except BaseException:
        _abandon(layout, process, progress)
        raise
    first_start.finish(layout)
    progress("Neo4j is ready")
    return connection


def _abandon(layout: Layout, process: psutil.Process | None, progress: Progress) -> None:
    """A start that fails, or is interrupted, leaves nothing running; a second Ctrl-C kills."""
    process = process or mark.find(layout)
    if process is not None and processes.is_alive(process):
        progress(f"start broken off; stopping Neo4j (process {process.pid})")
        try:
            processes.stop(mark.mark(layout), process, progress=progress)
        except KeyboardInterrupt:
            processes.kill(mark.mark(layout), process)
    layout.forget_running()


def _choose(layout: Layout, planned: Memory, release: Release, progress: Progress) -> Choices:
    before = layout.choices()
    remembered = before.bolt_port if before else None
    port = ports.choose(remembered)
    if remembered is not None and port != remembered:
        progress(f"port {remembered} is taken by another program; using {port} from now on")
    return Choices(port, planned.heap_mb, planned.page_cache_mb, release.version, planned.asked)


def connection_of(layout: Layout, choices: Choices) -> Connection:
    """How this home's server is reached."""
    return Connection(
        uri=uri(choices.bolt_port),
        username=DEFAULT_USERNAME,
        password=first_start.read_password(layout),
        database=DEFAULT_DATABASE,
        managed=True,
    )


def uri(port: int) -> str:
    """The address on this machine."""
    return f"bolt://{ports.LOOPBACK}:{port}"
