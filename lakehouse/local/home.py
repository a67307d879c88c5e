"""The home: the one folder for everything local, and small private files in it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


def home_from(environ: Mapping[str, str]) -> Path:
    """`BELIEFGRAPH_HOME`, or `~/.beliefgraph`; always absolute, one name a folder."""
    given = environ.get("BELIEFGRAPH_HOME", "").strip()
    home = Path(given).expanduser() if given else user_home(environ) / ".beliefgraph"
    return home.resolve()


def user_home(environ: Mapping[str, str]) -> Path:
    """The user's own folder."""
    return Path(environ["HOME"]) if environ.get("HOME") else Path.home()


@dataclass(frozen=True, slots=True)
class Running:
    """A process that was started: its id, and when (seconds), since ids are used again."""

    pid: int
    created: float


def read_running(path: Path) -> Running | None:
    """The process that a file records; None where it records none."""
    found = read_record(path)
    try:
        return Running(pid=int(found["pid"]), created=float(found["created"]))
    except (KeyError, TypeError, ValueError):
        return None


def read_record(path: Path) -> dict[str, str | int | float]:
    """The JSON object in a file; empty where there is no such file, or it holds something else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner reads, from its first byte on, and whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        stream.write(text)
    draft.replace(path)
