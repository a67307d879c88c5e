"""The Neo4j server: a managed one of this home, or the one that `NEO4J_URI` names.

`up`, `down` and `status` manage it; everybody else asks `connection_from` where it is.
"""

from __future__ import annotations

from graph.server.connection import Connection
from graph.server.lifecycle import (
    ServerStatus,
    connection_from,
    down,
    replace_store,
    silent,
    status,
    up,
)
from graph.server.release import RELEASES
from lakehouse.local.home import home_from

__all__ = [
    "RELEASES",
    "Connection",
    "ServerStatus",
    "connection_from",
    "down",
    "home_from",
    "replace_store",
    "silent",
    "status",
    "up",
]
