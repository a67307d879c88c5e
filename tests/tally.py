"""How much was asked: recorded with each test's report, and shown beside the dots (conftest)."""

from __future__ import annotations

import os
import time
from typing import Final

import pytest

ALL: Final = os.environ.get("BELIEFGRAPH_ALL") == "1"
"""Ask everything instead of a sample (`make exhaustive`)."""


class Tally:
    """Counts of one test."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._started = time.monotonic()

    def tell(self, what: str, count: int) -> None:
        """So many were asked."""
        seconds = time.monotonic() - self._started
        told = f"{self._request.node.name}: {count:,} {what}, {seconds:.1f} s"
        self._request.node.user_properties.append((TOLD, told))


TOLD: Final = "tally"
"""The name under which a report carries it."""
