"""Ports on the loopback address: the remembered one if it is free, else any that is."""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from typing import Final

LOOPBACK: Final = "127.0.0.1"
_HIGHEST: Final = 65_535


def is_open(port: int, *, timeout: float = 0.5) -> bool:
    """Does anybody answer there?"""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=timeout):
            return True
    except OSError:
        return False


def is_free(port: int) -> bool:
    """Could a server listen there?

    Asked both ways: a bind alone succeeds on some systems beside a stranger who listens on
    all addresses. Address reuse is on, as in the server, or our own last connections would
    count as strangers for a minute.
    """
    if is_open(port):
        return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def choose(remembered: int | None) -> int:
    """The remembered port if it is free, else one that the system picks."""
    if remembered is not None and is_free(remembered):
        return remembered
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def several(names: Sequence[str], remembered: Mapping[str, int]) -> dict[str, int]:
    """A port for each name, none twice: the remembered one if it is free."""
    chosen: dict[str, int] = {}
    for name in names:
        port = choose(remembered.get(name))
        while port in chosen.values():
            port = choose(None)
        chosen[name] = port
    return chosen


def apart(remembered: int | None, gap: int) -> int:
    """A port with another one, `gap` above it, that is free too: the remembered one if it is so."""
    port = choose(remembered)
    while port + gap > _HIGHEST or not is_free(port + gap):
        port = choose(None)
    return port
