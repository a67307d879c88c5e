"""The data sets: what must be there before the line is timed, and how fast it should be."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from pipelines.demo.episodes import write_episodes
from pipelines.demo.releases import fetch
from tests.shared import shared_data

WHEELS_VARIABLE: Final = "BELIEFGRAPH_TEST_WHEELS"
Prepare = Callable[[Path, Path | None], Path]
"""(home, folder of wheels or None) to the file that will be landed."""


class Absent(Exception):
    """The data is not here; the reason says which."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A declared source with real data. `goal` is in seconds from file to watermark."""

    name: str
    source: str
    prepare: Prepare
    goal: float | None = None


def _tzdata(home: Path, wheels: Path | None) -> Path:
    kept = wheels or os.environ.get(WHEELS_VARIABLE) or home / "demo" / "wheels"
    fetch(Path(kept))
    file = home / "demo" / "tzdata.jsonl.gz"
    write_episodes(Path(kept), file)
    return file


def _ecdc(home: Path, wheels: Path | None) -> Path:
    try:
        folder = shared_data("ecdc-vintages")
    except pytest.skip.Exception as skipped:
        raise Absent(str(skipped.msg)) from skipped
    os.environ["BELIEFGRAPH_ECDC"] = str(folder)
    return folder / "episodes.jsonl.gz"


SETS: Final[Mapping[str, DataSet]] = {
    one.name: one
    for one in (
        DataSet("tzdata", "tzdata", _tzdata),
        DataSet("ecdc", "ecdc-respiratory", _ecdc, goal=60.0),
    )
}
