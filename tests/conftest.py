"""Settings and fixtures that every kind of test shares."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.neo4j", "tests.home"]

settings.register_profile(
    "beliefgraph",
    deadline=None,
    max_examples=int(os.environ.get("BELIEFGRAPH_EXAMPLES", "40")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("beliefgraph")
