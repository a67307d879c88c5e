"""What the golden tests share: each says how much it asked."""

from __future__ import annotations

import pytest

from tests.tally import Tally


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """The tally of this test."""
    return Tally(request)
