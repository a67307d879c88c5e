"""Settings and fixtures that every kind of test shares.

`make test` runs two workers. Each has servers of its own, and what one file shares stays in one
worker; the files of tests/system share the lines that they ask, and being longest begin.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.tally import TOLD, Tally

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script's background hands deafness to Ctrl-C down to every process that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["tests.neo4j", "tests.lakes", "tests.home"]

settings.register_profile(
    "beliefgraph",
    deadline=None,
    max_examples=int(os.environ.get("BELIEFGRAPH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("beliefgraph")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What goes to one worker, and what begins."""
    system = Path(__file__).parent / "system"
    for item in items:
        group = "system" if system in item.path.parents else item.path.stem
        item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=lambda item: system not in item.path.parents)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Tallies are shown where the run is shown, whichever worker it was."""
    terminal = config.pluginmanager.getplugin("terminalreporter")
    if terminal is not None:
        config.pluginmanager.register(Shown(terminal))


class Shown:
    """Writes a line for each tally."""

    def __init__(self, terminal: Any) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """After each test."""
        for name, told in report.user_properties if report.when == "call" else ():
            if name == TOLD:
                self._terminal.write_line(f"\n{told}")


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """The tally of this test: it says how much was asked."""
    return Tally(request)
