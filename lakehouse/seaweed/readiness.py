"""From started to ready: wait until the lake's objects can be had, or say why they will not be."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

import psutil

from lakehouse.local import processes
from lakehouse.model.errors import ConflictError, UnavailableError
from lakehouse.s3tables import client, find_bucket
from lakehouse.seaweed import probe
from lakehouse.seaweed.layout import Layout
from lakehouse.seaweed.settings import BUCKET, REGION, S3Server

START_SECONDS: Final = 60.0
_PAUSE: Final = 0.1
_ASKED: Final = ("s3", "iceberg", *probe.PARTS)


def wait(
    layout: Layout, process: psutil.Process, ports: Mapping[str, int], server: S3Server
) -> None:
    """Return once our login sees the bucket and what is stored can be read; else raise.

    UnavailableError when the server ended or takes too long, with what it lacked at last.
    """
    deadline = time.monotonic() + START_SECONDS
    lacks = ""
    while time.monotonic() < deadline:
        if not processes.is_alive(process):
            raise _ended(layout, ports)
        lacks = _lacks(layout, process, ports, server)
        if not lacks:
            return
        time.sleep(_PAUSE)
    raise UnavailableError(
        f"SeaweedFS was not ready within {START_SECONDS:.0f} s: {lacks}.",
        remedy=f"Look at {layout.log}; then run beliefgraph down and up --s3 again.",
        log=layout.log,
    )


def _lacks(
    layout: Layout, process: psutil.Process, ports: Mapping[str, int], server: S3Server
) -> str:
    # Our login goes only where our own process is seen to listen.
    if not all(processes.listens(process, ports[name]) for name in _ASKED):
        return "it does not listen"
    return probe.lacking(layout, ports) if _answers(server) else "its bucket is not there"


def _answers(server: S3Server) -> bool:
    """Does it know us and the bucket? Not yet, is what every error means while it starts."""
    control = client(
        REGION,
        endpoint=server.endpoint,
        access_key_id=server.access_key_id,
        secret_access_key=server.secret_access_key,
    )
    try:
        return find_bucket(control, BUCKET) is not None
    except UnavailableError:
        return False


def _ended(layout: Layout, ports: Mapping[str, int]) -> UnavailableError | ConflictError:
    """Why the server ended while it was starting, in its own last words."""
    said = layout.log.read_text(encoding="utf-8", errors="replace") if layout.log.exists() else ""
    if "already in use" in said:
        return ConflictError(
            "One of the ports "
            + ", ".join(str(port) for port in ports.values())
            + " was taken by another program while SeaweedFS was starting.",
            remedy="Run beliefgraph up --s3.",
        )
    words = " / ".join([line.strip() for line in said.split("\n") if line.strip()][-3:])
    return UnavailableError(
        f"SeaweedFS ended while it was starting; its last words: {words or 'none'}",
        remedy=f"Look at {layout.log}.",
        log=layout.log,
    )
