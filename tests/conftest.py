"""Settings and fixtures that every kind of test shares.

`make test` runs two workers. Each has servers of its own, and what one file shares stays in one
worker; the files of tests/system share the lines that they ask, and being longest begin.
"""

from __future__ import annotations

import os
import signal
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from tests.tally import TOLD, Tally

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A script's background hands deafness to Ctrl-C down to every process that a test starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)

SYSTEM: Final = "tests/system/"

pytest_plugins = ["tests.neo4j", "tests.lakes", "tests.home"]

settings.register_profile(
    "beliefgraph",
    deadline=None,
    max_examples=int(os.environ.get("BELIEFGRAPH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("beliefgraph")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins."""
    items.sort(key=lambda item: not item.nodeid.startswith(SYSTEM))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """What goes to one worker. (Its own groups do not work with pytest 9.2.)"""
    from xdist.scheduler import LoadFileScheduling  # noqa: PLC0415 - only where workers are asked for

    class Files(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(SYSTEM):
                return SYSTEM
            return str(super()._split_scope(nodeid))

    return Files(config, log)


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
