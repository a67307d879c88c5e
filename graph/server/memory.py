"""How much memory the server takes: half of it Java heap, half page cache.

Unless told otherwise: a quarter of the machine, at most 1 GiB, which serves a million edges.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil

from lakehouse.model.errors import ConfigurationError, InputError

AUTO: Final = "auto"
DEFAULT_MB: Final = 1024
LEAST_MB: Final = 384
OWN_MB: Final = 200
"""What the process takes for itself, beside heap and page cache."""
_SMALLEST_HEAP_MB: Final = 256
_UNITS: Final = {"m": 1, "g": 1024}
_CGROUP_LIMIT: Final = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Memory:
    """Heap and page cache in MiB, and whether somebody asked for them."""

    heap_mb: int
    page_cache_mb: int
    asked: bool = field(default=False, compare=False)

    @property
    def total_mb(self) -> int:
        return self.heap_mb + self.page_cache_mb

    def __str__(self) -> str:
        return f"{self.heap_mb}m heap + {self.page_cache_mb}m page cache"


def plan(asked: str | None, *, machine_mb: int, before: Memory | None = None) -> Memory:
    """Memory for the server: what was asked now, or before, or what suits a machine of this size.

    InputError where that is no size, ConfigurationError where it is too little for Neo4j or too
    much for the machine.
    """
    if machine_mb < LEAST_MB + OWN_MB:
        raise ConfigurationError(
            f"This machine (or container) has {machine_mb}m of memory, and Neo4j needs "
            f"{LEAST_MB + OWN_MB}m.",
            remedy="Give it more, or use a server elsewhere through NEO4J_URI.",
        )
    if asked is None and before is not None and before.asked:
        _check_size(f"{before.total_mb}m, asked for earlier,", before.total_mb, machine_mb)
        return before
    if asked is None or asked == AUTO:
        return _split(max(LEAST_MB, min(DEFAULT_MB, machine_mb // 4)), asked=False)
    total = _parse(asked)
    _check_size(asked, total, machine_mb)
    return _split(total, asked=True)


def shortage(planned: Memory, *, available_mb: int) -> str | None:
    """A warning where what is free now is less than what the server may come to need."""
    needed = planned.total_mb + OWN_MB
    if available_mb >= needed:
        return None
    return (
        f"only {available_mb}m of memory are free, and the server may come to need {needed}m: if "
        "it is killed, close other programs or start it with less (--memory)"
    )


def available_mb() -> int:
    """Memory that programs could have now."""
    return int(psutil.virtual_memory().available // 2**20)


def _check_size(said: str, total: int, machine_mb: int) -> None:
    most = machine_mb - OWN_MB
    if total < LEAST_MB:
        raise ConfigurationError(
            f"Memory of {said} is less than the {LEAST_MB}m that Neo4j needs.",
            remedy=f"Ask for {LEAST_MB}m or more, such as --memory 1g.",
        )
    if total > most:
        raise ConfigurationError(
            f"Memory of {said} does not fit on this machine (or container) of {machine_mb}m.",
            remedy=f"Ask for {most}m or less, such as --memory {LEAST_MB}m, or --memory auto.",
        )


def machine_mb() -> int:
    """Memory of this machine, or of the container around us where that is less."""
    total = psutil.virtual_memory().total
    with suppress(OSError, ValueError):  # no such file, or "max": no limit
        total = min(total, int(_CGROUP_LIMIT.read_text(encoding="ascii")))
    return int(total // 2**20)


def _split(total_mb: int, *, asked: bool) -> Memory:
    heap = max(_SMALLEST_HEAP_MB, total_mb // 2)
    return Memory(heap_mb=heap, page_cache_mb=total_mb - heap, asked=asked)


def _parse(asked: str) -> int:
    match = re.fullmatch(r"(\d{1,9})([mg])(?:i?b)?", asked.strip().lower())
    if match is None:
        raise InputError(
            f"Memory {asked!r} is not a size.",
            remedy="Write megabytes or gigabytes, such as --memory 768m or --memory 2g.",
        )
    return int(match[1]) * _UNITS[match[2]]
