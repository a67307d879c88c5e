"""One at a time: starting and stopping a home's server (or the like) holds a file lock.

The operating system drops the lock when its holder dies, so there is nothing to clean up.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lakehouse.model.errors import ConflictError

WAIT_SECONDS: Final = 300.0
_PAUSE: Final = 0.1


@contextmanager
def exclusive(
    path: Path,
    *,
    progress: Callable[[str], None],
    seconds: float = WAIT_SECONDS,
    doing: str = "starting or stopping this server",
) -> Iterator[None]:
    """Hold the lock of this file; wait for another holder, but not for ever.

    `doing` says in words what its holder is at.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, path, progress, seconds, doing)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(
    descriptor: int,
    path: Path,
    progress: Callable[[str], None],
    seconds: float,
    doing: str,
) -> None:
    deadline = time.monotonic() + seconds
    told = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace") or "unknown"
        else:
            return
        if time.monotonic() >= deadline:
            raise ConflictError(
                f"Process {holder} is {doing} (waited {seconds:.0f} s); it holds {path}.",
                remedy="Look at that process, end it if it hangs, and try again.",
                holder=holder,
            )
        if not told:
            progress(f"waiting: process {holder} is {doing}")
            told = True
        time.sleep(_PAUSE)
