"""One at a time: starting and stopping a home's server holds a file lock.

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
    path: Path, *, progress: Callable[[str], None], seconds: float = WAIT_SECONDS
) -> Iterator[None]:
    """Hold the lock of this file; wait for another holder, but not for ever."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _acquire(descriptor, path, progress, seconds)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, progress: Callable[[str], None], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    told = False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace") or "unknown"
        else:
            return
        if not told:
            progress(f"waiting: process {holder} is starting or stopping this server")
            told = True
        if time.monotonic() > deadline:
            raise ConflictError(
                f"Process {holder} has been starting or stopping the server for "
                f"{seconds:.0f} s; it holds {path}.",
                remedy="Look at that process, end it if it hangs, and try again.",
                holder=holder,
            )
        time.sleep(_PAUSE)
