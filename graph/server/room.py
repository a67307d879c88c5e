"""Room on the disk: asked for before it is needed, and named when it runs out all the same."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lakehouse.model.errors import UnavailableError

FIRST_START_MB: Final = 200
"""An empty store: Neo4j sets its logs' room aside at once."""
START_MB: Final = 100
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


def require(
    folder: Path,
    megabytes: float,
    purpose: str,
    *,
    remedy: str = "Make room there, and try again; nothing was changed.",
) -> None:
    """UnavailableError unless the folder's disk has that much left."""
    free = shutil.disk_usage(folder).free / 1e6
    if free < megabytes:
        raise UnavailableError(
            f"The disk of {folder} has {free:,.0f} MB left; {purpose} needs {megabytes:,.0f} MB.",
            remedy=remedy,
            folder=folder,
        )


def is_full(error: BaseException | None) -> bool:
    """Does the error, or one behind it, say that a disk is full?"""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """What fails in the block for want of room is told as that."""
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        raise UnavailableError(
            f"The disk of {error.filename or folder} is full.",
            remedy="Make room there, and try again; what was there is as it was.",
            folder=folder,
        ) from error
