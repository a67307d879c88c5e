"""Which process is a home's server, and how it is started and stopped.

A process is ours if its command line bears the server's marks and names the home's folder: a
recorded id alone proves nothing, since ids are used again. Nothing else is ever signalled.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from lakehouse.local.home import Running
from lakehouse.model.errors import ConflictError

STOP_SECONDS: Final = 60.0
_KILL_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 0.2


@dataclass(frozen=True, slots=True)
class Server:
    """A kind of server: how it is called, what its command line bears, what a kill means."""

    name: str
    marks: tuple[str, ...]
    after_kill: str


def find(server: Server, recorded: Running | None) -> psutil.Process | None:
    """The running server: as recorded, else found by its command line.

    The search covers a start that was killed before it could write its record, and a record
    that somebody deleted.
    """
    if recorded is not None:
        process = _open(recorded.pid)
        if process is not None and is_ours(process, server):
            return process
    for process in psutil.process_iter():
        if is_ours(process, server):
            return process
    return None


def is_ours(process: psutil.Process, server: Server) -> bool:
    """Is it alive, and does its command line bear every mark of the server?"""
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return all(mark in command for mark in server.marks) and is_alive(process)


def is_alive(process: psutil.Process) -> bool:
    """Does the very process we hold still run?

    For one that we have just started this is the question to ask: the system shows no command
    line for a moment after a start.
    """
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def listens(process: psutil.Process, port: int) -> bool:
    """Does this very process listen on that port?

    Asked before a secret of ours goes there: whoever merely answers may be a stranger.
    """
    try:
        connections = process.net_connections("tcp")
    except psutil.Error:
        return False
    return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections)


def start(
    command: Sequence[str], *, environ: Mapping[str, str], cwd: Path, output: Path
) -> psutil.Process:
    """Start a server that outlives us, in a session of its own; what it prints goes to `output`."""
    with output.open("wb") as printed:
        child = subprocess.Popen(
            command,
            env=environ,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    child.returncode = 0  # It outlives us by design: no warning when this handle goes.
    return psutil.Process(child.pid)


def stop(
    server: Server,
    process: psutil.Process,
    *,
    progress: Callable[[str], None],
    seconds: float = STOP_SECONDS,
) -> None:
    """Ask to end, wait, and only then kill, saying so."""
    try:
        process.terminate()
        _wait(process, seconds)
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise ConflictError(
            f"The {server.name} server with process id {process.pid} belongs to somebody else.",
            remedy="Stop it as the user who started it.",
            pid=process.pid,
        ) from error
    except psutil.TimeoutExpired:
        progress(
            f"{server.name} (process {process.pid}) did not stop within {seconds:.0f} s and is "
            f"killed; {server.after_kill}"
        )
        kill(server, process)


def kill(server: Server, process: psutil.Process) -> None:
    """End it at once."""
    try:
        process.kill()
        _wait(process, _KILL_SECONDS)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired as error:
        raise ConflictError(
            f"The {server.name} server with process id {process.pid} cannot be ended.",
            remedy="It hangs inside the operating system, most likely on its disk: look there.",
            pid=process.pid,
        ) from error


def _wait(process: psutil.Process, seconds: float) -> None:
    """Until it has ended, whether its parent took note of that or not; else TimeoutExpired."""
    deadline = time.monotonic() + seconds
    while not _is_left_over(process):
        try:
            process.wait(_LOOK_SECONDS)
        except psutil.TimeoutExpired:
            if time.monotonic() > deadline:
                raise
        else:
            return


def _is_left_over(process: psutil.Process) -> bool:
    """Nothing of it is left but, perhaps, the entry that its parent has not removed.

    The first thread of a program may end before the others.
    """
    try:
        return process.status() == psutil.STATUS_ZOMBIE and process.num_threads() <= 1
    except psutil.NoSuchProcess:
        return True


def _open(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except (psutil.Error, ValueError):
        return None
