"""The managed server from outside: up, down, status, and the connection to it.

Every verb may be called at any time, by several processes, after any accident: each first
looks at what is really there, and the records are only where it looks first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import psutil

from graph.server import first_start, jars, launch, mark, memory, probe, readiness
from graph.server.connection import (
    DEFAULT_DATABASE,
    DEFAULT_USERNAME,
    Connection,
    external_from,
)
from graph.server.layout import Choices, Layout, maven_repository_from
from graph.server.release import NEO4J_VERSION
from lakehouse.local import ports, processes
from lakehouse.local.home import Running, home_from
from lakehouse.local.lock import exclusive
from lakehouse.model.errors import ConflictError, UnavailableError

Progress = Callable[[str], None]

_PORT_ATTEMPTS: Final = 3
_RUN_UP: Final = "Run beliefgraph up."


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """What is known about the server without asking it anything."""

    state: Literal["running", "stopped", "stale", "external"]
    uri: str | None
    pid: int | None
    home: Path
    version: str | None
    started_at: datetime | None
    memory: str | None
    log: Path | None


def silent(_: str) -> None:
    """Progress for those who want none."""


def connection_from(environ: Mapping[str, str]) -> Connection:
    """The external server if `NEO4J_URI` is set, else this home's running one."""
    external = external_from(environ)
    if external is not None:
        return external
    layout = Layout(home_from(environ))
    choices = layout.choices()
    process = mark.find(layout)
    if choices is None or process is None:
        raise UnavailableError(
            f"No Neo4j server is running for {layout.home}.", remedy=_RUN_UP, home=layout.home
        )
    if not processes.listens(process, choices.bolt_port):
        raise UnavailableError(
            f"The Neo4j server of {layout.home} is not ready yet.",
            remedy="Run beliefgraph up, which waits for it.",
            home=layout.home,
        )
    return _connection(layout, choices)


def up(
    environ: Mapping[str, str], *, memory: str | None = None, progress: Progress = silent
) -> Connection:
    """Have a server that answers: the external one, the running one, or a new one."""
    external = external_from(environ)
    if external is not None:
        progress(f"using {external.uri} (NEO4J_URI); no server is started")
        probe.ask(external)
        return external
    layout = Layout(home_from(environ))
    layout.prepare()
    planned = _plan(memory)
    with exclusive(layout.lock, progress=progress):
        process = mark.find(layout)
        if process is None:
            return _start(layout, planned, environ, progress)
        return _join(layout, process, planned if memory else None, progress)


def down(environ: Mapping[str, str], *, progress: Progress = silent) -> bool:
    """Stop this home's server; False if none ran. Never touches any other."""
    layout = Layout(home_from(environ))
    if not layout.root.exists():
        return False
    layout.prepare()
    with exclusive(layout.lock, progress=progress):
        process = mark.find(layout)
        if process is not None:
            progress(f"stopping Neo4j (process {process.pid})")
            processes.stop(mark.mark(layout), process, progress=progress)
        layout.forget_running()
        return process is not None


def status(environ: Mapping[str, str]) -> ServerStatus:
    """What is there, without waiting, starting or changing anything."""
    home = home_from(environ)
    external = external_from(environ)
    if external is not None:
        return ServerStatus("external", external.uri, None, home, None, None, None, None)
    layout = Layout(home)
    choices = layout.choices()
    process = mark.find(layout)
    log = layout.log if layout.log.exists() else None
    if process is None:
        state: Literal["stopped", "stale"] = "stale" if layout.running() else "stopped"
        return ServerStatus(state, None, None, home, None, None, None, log)
    return ServerStatus(
        state="running",
        uri=_uri(choices.bolt_port) if choices else None,
        pid=process.pid,
        home=home,
        version=choices.version if choices else None,
        started_at=datetime.fromtimestamp(process.create_time(), UTC),
        memory=str(_memory_of(choices)) if choices else None,
        log=log,
    )


def _start(
    layout: Layout, planned: memory.Memory, environ: Mapping[str, str], progress: Progress
) -> Connection:
    if layout.running() is not None:
        progress("the last server ended without being stopped; its record is removed")
        layout.forget_running()
    classpath = jars.ensure(layout, maven_repository_from(environ), progress=progress)
    java = launch.java_path()
    java_environ = launch.java_environment(layout, classpath, environ)
    first_start.prepare(layout, java, java_environ, progress=progress)
    return _launch(layout, planned, java, java_environ, progress, attempts=_PORT_ATTEMPTS)


def _launch(
    layout: Layout,
    planned: memory.Memory,
    java: str,
    environ: Mapping[str, str],
    progress: Progress,
    *,
    attempts: int,
) -> Connection:
    """Start the process and wait for it; on another port if a stranger was quicker."""
    choices = _choose(layout, planned, progress)
    launch.write_settings(layout, choices)
    layout.remember(choices)
    progress(f"starting Neo4j {NEO4J_VERSION} ({planned}) at {_uri(choices.bolt_port)}")
    connection = _connection(layout, choices)
    process: psutil.Process | None = None
    try:
        process = launch.spawn(layout, choices, java, environ)
        readiness.wait(layout, process, choices.bolt_port, connection)
    except ConflictError:
        layout.forget_running()
        if attempts == 1:
            raise
        return _launch(layout, planned, java, environ, progress, attempts=attempts - 1)
    except BaseException:
        _abandon(layout, process, progress)
        raise
    first_start.finish(layout)
    progress("Neo4j is ready")
    return connection


def _join(
    layout: Layout, process: psutil.Process, asked: memory.Memory | None, progress: Progress
) -> Connection:
    """Use the server that runs already, waiting for it if it is still starting."""
    choices = layout.choices()
    if choices is None:
        raise ConflictError(
            f"A Neo4j server runs for {layout.home} (process {process.pid}), but the record of "
            "its port is gone.",
            remedy="Run beliefgraph down, then beliefgraph up.",
            pid=process.pid,
        )
    if layout.running() is None:
        layout.remember(Running(pid=process.pid, created=process.create_time()))
    connection = _connection(layout, choices)
    readiness.wait(layout, process, choices.bolt_port, connection)
    first_start.finish(layout)
    progress(f"Neo4j {choices.version} is running at {connection.uri} (process {process.pid})")
    if asked is not None and asked != _memory_of(choices):
        progress(
            f"it keeps its memory of {_memory_of(choices)}; for {asked} run beliefgraph down, "
            "then beliefgraph up with --memory again"
        )
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


def _choose(layout: Layout, planned: memory.Memory, progress: Progress) -> Choices:
    before = layout.choices()
    remembered = before.bolt_port if before else None
    port = ports.choose(remembered)
    if remembered is not None and port != remembered:
        progress(f"port {remembered} is taken by another program; using {port} from now on")
    return Choices(port, planned.heap_mb, planned.page_cache_mb, NEO4J_VERSION)


def _plan(asked: str | None) -> memory.Memory:
    return memory.plan(asked, machine_mb=memory.machine_mb())


def _memory_of(choices: Choices) -> memory.Memory:
    return memory.Memory(heap_mb=choices.heap_mb, page_cache_mb=choices.page_cache_mb)


def _connection(layout: Layout, choices: Choices) -> Connection:
    return Connection(
        uri=_uri(choices.bolt_port),
        username=DEFAULT_USERNAME,
        password=first_start.read_password(layout),
        database=DEFAULT_DATABASE,
        managed=True,
    )


def _uri(port: int) -> str:
    return f"bolt://{ports.LOOPBACK}:{port}"
