"""How much was asked: a line beside the dots for every comparison, and a record of the run."""

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
        """So many were asked; shown at once."""
        seconds = time.monotonic() - self._started
        line = f"{self._request.node.name}: {count:,} {what}, {seconds:.1f} s"
        self._request.node.user_properties.append((what, count))
        plugins = self._request.config.pluginmanager
        terminal, capture = (
            plugins.getplugin("terminalreporter"),
            plugins.getplugin("capturemanager"),
        )
        if terminal is not None and capture is not None:
            with capture.global_and_fixture_disabled():
                terminal.write_line(f"\n{line}")
