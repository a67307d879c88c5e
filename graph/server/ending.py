"""Why a server ended or gave up, from what its newest start left in its logs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from graph.server.layout import Layout

_TAIL: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Ending:
    """The reason as the end of a sentence, and what to do."""

    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.remedy[0].lower()}{self.remedy[1:]})"


_KNOWN: Final = (
    (
        re.compile(r"No space left on device|OutOfDiskSpace|Disk quota exceeded"),
        Ending("its disk is full", "Make room there, then beliefgraph down and up."),
    ),
    (
        re.compile(r"java\.lang\.OutOfMemoryError"),
        Ending("its memory ran out", "Give it more: beliefgraph down, then up --memory 2g."),
    ),
    (
        re.compile(
            r"Could not reserve enough space|insufficient memory for the Java Runtime"
            r"|os::commit_memory|exceeds (?:maximum )?physical memory|Cannot allocate memory"
        ),
        Ending(
            "the machine did not give it its memory",
            "Close other programs, or ask for less: beliefgraph down, then up --memory 512m.",
        ),
    ),
)


def of(layout: Layout) -> Ending | None:
    """The reason, None where the logs tell none that we know."""
    return known("".join(_tail(path) for path in (layout.console, layout.log, layout.debug_log)))


def known(said: str) -> Ending | None:
    """The reason that these words of Neo4j's or Java's tell."""
    return next((ending for pattern, ending in _KNOWN if pattern.search(said)), None)


def set_logs_aside(layout: Layout) -> None:
    """Before a start: what the logs say is of the newest start; the one before is kept."""
    layout.log.unlink(missing_ok=True)
    if layout.debug_log.exists():
        layout.debug_log.replace(layout.logs / "debug.before.log")


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL))
            return stream.read().decode(errors="replace")
    except OSError:
        return ""
