"""The managed S3 server from outside: up, down, status.

Every verb may be called at any time, by several processes, after any accident: each first looks
at what is really there, and the records are only where it looks first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import psutil

from lakehouse.ledger import Progress
from lakehouse.local import ports, processes
from lakehouse.local.home import Running, home_from
from lakehouse.local.lock import exclusive
from lakehouse.model.errors import ConflictError
from lakehouse.seaweed import launch, readiness
from lakehouse.seaweed.layout import ADMIN_GAP, PORTS, Layout
from lakehouse.seaweed.settings import S3Server, server_at, write_client_settings

_PORT_ATTEMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class S3Status:
    """What is known about the S3 server without asking it anything."""

    state: Literal["running", "stopped", "stale"]
    endpoint: str | None
    catalog: str | None
    pid: int | None
    started_at: datetime | None
    settings: Path | None
    log: Path | None


def silent(_: str) -> None:
    """Progress for those who want none."""


def up(environ: Mapping[str, str], *, progress: Progress = silent) -> S3Server:
    """Have an S3 server that answers: the running one of this home, or a new one."""
    binary = launch.program()
    layout = Layout(home_from(environ))
    layout.prepare()
    with exclusive(layout.lock, progress=progress):
        process = processes.find(layout.server, layout.running())
        if process is None:
            return _start(layout, binary, environ, progress)
        return _join(layout, process, progress)


def down(environ: Mapping[str, str], *, progress: Progress = silent) -> bool:
    """Stop this home's S3 server; False if none ran. Never touches any other."""
    layout = Layout(home_from(environ))
    if not layout.root.exists():
        return False
    with exclusive(layout.lock, progress=progress):
        process = processes.find(layout.server, layout.running())
        if process is not None:
            progress(f"stopping SeaweedFS (process {process.pid})")
            processes.stop(layout.server, process, progress=progress)
        layout.forget_running()
        return process is not None


def status(environ: Mapping[str, str]) -> S3Status | None:
    """What is there, without waiting, starting or changing anything; None if never started."""
    layout = Layout(home_from(environ))
    chosen = layout.ports()
    process = processes.find(layout.server, layout.running())
    log = layout.log if layout.log.exists() else None
    if process is None:
        if chosen is None and layout.running() is None:
            return None
        state: Literal["stopped", "stale"] = "stale" if layout.running() else "stopped"
        return S3Status(state, None, None, None, None, None, log)
    server = server_at(layout, chosen) if chosen else None
    return S3Status(
        state="running",
        endpoint=server.endpoint if server else None,
        catalog=server.catalog if server else None,
        pid=process.pid,
        started_at=datetime.fromtimestamp(process.create_time(), UTC),
        settings=layout.settings_file,
        log=log,
    )


def _start(
    layout: Layout,
    binary: Path,
    environ: Mapping[str, str],
    progress: Progress,
    attempts: int = _PORT_ATTEMPTS,
) -> S3Server:
    """Start the process and wait for it; on other ports if a stranger was quicker."""
    if layout.running() is not None:
        progress("the last S3 server ended without being stopped; its record is removed")
        layout.forget_running()
    chosen = _choose(layout, progress)
    layout.remember_ports(chosen)
    server = server_at(layout, chosen)
    progress(f"starting SeaweedFS {launch.version()} at {server.endpoint}")
    process: psutil.Process | None = None
    try:
        process = launch.spawn(layout, chosen, binary, environ)
        readiness.wait(layout, process, chosen, server)
    except ConflictError:
        layout.forget_running()
        if attempts == 1:
            raise
        return _start(layout, binary, environ, progress, attempts - 1)
    except BaseException:
        _abandon(layout, process, progress)
        raise
    write_client_settings(server)
    progress("SeaweedFS is ready")
    return server


def _join(layout: Layout, process: psutil.Process, progress: Progress) -> S3Server:
    """Use the server that runs already, waiting for it if it is still starting."""
    chosen = layout.ports()
    if chosen is None:
        raise ConflictError(
            f"An S3 server runs for {layout.home} (process {process.pid}), but the record of its "
            "ports is gone.",
            remedy="Run beliefgraph down, then beliefgraph up --s3.",
            pid=process.pid,
        )
    if layout.running() is None:
        layout.remember_running(Running(pid=process.pid, created=process.create_time()))
    server = server_at(layout, chosen)
    readiness.wait(layout, process, chosen, server)
    write_client_settings(server)
    progress(f"SeaweedFS is running at {server.endpoint} (process {process.pid})")
    return server


def _abandon(layout: Layout, process: psutil.Process | None, progress: Progress) -> None:
    """A start that fails, or is interrupted, leaves nothing running; a second Ctrl-C kills."""
    process = process or processes.find(layout.server, None)
    if process is not None and processes.is_alive(process):
        progress(f"start broken off; stopping SeaweedFS (process {process.pid})")
        try:
            processes.stop(layout.server, process, progress=progress)
        except KeyboardInterrupt:
            processes.kill(layout.server, process)
    layout.forget_running()


def _choose(layout: Layout, progress: Progress) -> dict[str, int]:
    """A port for each part: the one it had, unless somebody else took it since."""
    before = layout.ports() or {}
    chosen = ports.several(PORTS[:-1], before)
    chosen["admin"] = ports.apart(before.get("admin"), ADMIN_GAP)
    for name in PORTS[:2]:
        if name in before and chosen[name] != before[name]:
            progress(
                f"port {before[name]} is taken by another program; using {chosen[name]} from now on"
            )
    return chosen
