"""Where the data sets lie that are not part of the repository; tests skip where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def shared_data(name: str) -> Path:
    """The folder of a data set beside the checkout (BELIEFGRAPH_SHARED names another place)."""
    shared = Path(os.environ.get("BELIEFGRAPH_SHARED", ROOT.parent / "shared"))
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"needs the data set {name}, which is not part of the repository")
    return folder
