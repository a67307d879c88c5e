"""The managed server from outside: up, down, status, and the connection to it.

Every verb may be called at any time, by several processes, after any accident: each first
looks at what is really there, and the records are only where it looks first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import psutil

from graph.server import ending, first_start, mark, memory, probe, readiness, room, starting, store
from graph.server.connection import Connection, external_from
from graph.server.layout import Choices, Layout
from graph.server.memory import Memory
from graph.server.release import Release, choose
from lakehouse.ledger import Progress
from lakehouse.local import processes
from lakehouse.local.home import Running, home_from
from lakehouse.local.lock import exclusive
from lakehouse.model.errors import ConflictError, UnavailableError

_RUN_UP: Final = "Run beliefgraph up."
_GIVEN_UP: Final = 5.0
"""Seconds for the end of a server whose database takes nothing any more: it hardly ever comes."""


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
    ended: str | None = None
    """Why a server that is gone ended, where its logs tell."""


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
        why = ending.of(layout) if layout.running() else None
        ended = f": {why.reason}" if why else ""
        raise UnavailableError(
            f"No Neo4j server is running for {layout.home}{ended}.",
            remedy=why.remedy if why else _RUN_UP,
            home=layout.home,
        )
    if not processes.listens(process, choices.bolt_port):
        raise UnavailableError(
            f"The Neo4j server of {layout.home} is not ready yet.",
            remedy="Run beliefgraph up, which waits for it.",
            home=layout.home,
        )
    return starting.connection_of(layout, choices)


def up(
    environ: Mapping[str, str],
    *,
    memory: str | None = None,
    neo4j: str | None = None,
    progress: Progress = silent,
) -> Connection:
    """Have a server that answers: the external one, the running one, or a new one.

    `memory` (as `2g`, or `auto`) and `neo4j` (a series, as `5.26`) are remembered in the home.
    """
    external = external_from(environ)
    if external is not None:
        progress(f"using {external.uri} (NEO4J_URI); no server is started")
        probe.ask(external)
        return external
    layout = Layout(home_from(environ))
    layout.prepare()
    with room.watched(layout.root), exclusive(layout.lock, progress=progress):
        before = layout.choices()
        release = choose(neo4j, before.version if before else None)
        planned = _plan(memory, before)
        process = mark.find(layout)
        if process is not None:
            try:
                connection, kept = _join(layout, process, progress)
            except probe.GivenUp as failed:
                why = ending.of(layout)
                progress(f"{failed.message} {f'Because {why}' if why else 'Starting it anew.'}")
                processes.stop(mark.mark(layout), process, progress=progress, seconds=_GIVEN_UP)
                layout.forget_running()
            else:
                _tell_kept(kept, planned if memory else None, release if neo4j else None, progress)
                return connection
        return starting.start(layout, release, planned, environ, progress)


def down(environ: Mapping[str, str], *, progress: Progress = silent) -> bool:
    """Stop this home's server, and a rebuild's beside it; False if none ran. Touches no other."""
    layout = Layout(home_from(environ))
    if not layout.root.exists():
        return False
    layout.prepare()
    with exclusive(layout.lock, progress=progress):
        stopped = False
        for each in (layout, Layout(layout.workshop)):
            process = mark.find(each)
            if process is not None:
                progress(f"stopping Neo4j (process {process.pid})")
                processes.stop(mark.mark(each), process, progress=progress)
                stopped = True
            each.forget_running()
        return stopped


def replace_store(
    environ: Mapping[str, str], made: Path, *, progress: Progress = silent
) -> Connection:
    """Stop the server, let a whole store from this disk take its store's place, start again.

    If it does not answer with the new store, the old one is put back and started; so it is after
    Ctrl-C while it stops or starts.
    """
    layout = Layout(home_from(environ))
    with room.watched(layout.root), exclusive(layout.lock, progress=progress):
        before = layout.choices()
        release = choose(None, before.version if before else None)
        planned = _plan(None, before)
        try:
            _stop(layout, progress)
            store.recover(layout, progress=progress)
            store.take(layout, made)
            return starting.start(layout, release, planned, environ, progress)
        except BaseException:
            progress("the new store did not come up; going back to the one before")
            _stop(layout, progress)
            store.put_back(layout)
            starting.start(layout, release, planned, environ, progress)
            raise


def _stop(layout: Layout, progress: Progress) -> None:
    process = mark.find(layout)
    if process is not None:
        processes.stop(mark.mark(layout), process, progress=progress)
    layout.forget_running()


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
        why = ending.of(layout) if state == "stale" else None
        ended = str(why) if why else None
        return ServerStatus(state, None, None, home, None, None, None, log, ended)
    return ServerStatus(
        state="running",
        uri=starting.uri(choices.bolt_port) if choices else None,
        pid=process.pid,
        home=home,
        version=choices.version if choices else None,
        started_at=datetime.fromtimestamp(process.create_time(), UTC),
        memory=str(_memory_of(choices)) if choices else None,
        log=log,
    )


def _join(
    layout: Layout, process: psutil.Process, progress: Progress
) -> tuple[Connection, Choices]:
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
    connection = starting.connection_of(layout, choices)
    readiness.wait(layout, process, choices.bolt_port, connection)
    first_start.finish(layout)
    store.settle(layout)
    progress(f"Neo4j {choices.version} is running at {connection.uri} (process {process.pid})")
    return connection, choices


def _tell_kept(
    kept: Choices, memory: Memory | None, release: Release | None, progress: Progress
) -> None:
    """Say what a running server keeps of what was asked otherwise."""
    if memory is not None and memory != _memory_of(kept):
        progress(
            f"it keeps its memory of {_memory_of(kept)}; for {memory} run beliefgraph down, "
            "then beliefgraph up with --memory again"
        )
    if release is not None and release.version != kept.version:
        progress(
            f"it stays Neo4j {kept.version}; for {release.version} run beliefgraph down, then "
            f"beliefgraph up --neo4j {release.series}"
        )


def _plan(asked: str | None, before: Choices | None) -> Memory:
    """The memory asked for, else what was asked once, else what suits the machine."""
    earlier = _memory_of(before) if before else None
    return memory.plan(asked, machine_mb=memory.machine_mb(), before=earlier)


def _memory_of(choices: Choices) -> Memory:
    return Memory(choices.heap_mb, choices.page_cache_mb, choices.memory_asked)
