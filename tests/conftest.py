"""Settings and fixtures that every kind of test shares."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

from tests.tally import Tally

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


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """The tally of this test: it says how much was asked."""
    return Tally(request)
