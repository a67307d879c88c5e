"""Where the data sets lie that are not part of the repository, and the part an ordinary run takes.

Tests skip where a data set is absent. An ordinary run asks every question of every record that a
question is about, beside one in `SPARED` of the others; BELIEFGRAPH_ALL=1 takes all records.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import zlib
from pathlib import Path
from typing import Final

import pytest

from tests.tally import ALL

ROOT = Path(__file__).parents[1]
EPISODES: Final = "episodes.jsonl.gz"
QUESTIONS: Final = "truth.jsonl.gz"
SPARED: Final = 10


def shared_data(name: str) -> Path:
    """The folder of a data set beside the checkout (BELIEFGRAPH_SHARED names another place)."""
    shared = Path(os.environ.get("BELIEFGRAPH_SHARED", ROOT.parent / "shared"))
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"needs the data set {name}, which is not part of the repository")
    return folder


def everyday(folder: Path, into: Path) -> Path:
    """The data set as this run takes it: `folder` itself, or its everyday part in `into`.

    What a question is about is the entity it names; a record is chosen by its entity alone, so
    every history comes whole or not at all.
    """
    if ALL:
        return folder
    with gzip.open(folder / QUESTIONS, "rt", encoding="utf-8") as questions:
        asked = {json.loads(line)["entity_id"] for line in questions}
    with (
        gzip.open(folder / EPISODES, "rt", encoding="utf-8") as every,
        gzip.open(into / EPISODES, "wt", encoding="utf-8", compresslevel=1) as part,
    ):
        for line in every:
            name = json.loads(line)["entity_id"]
            if name in asked or zlib.crc32(name.encode()) % SPARED == 0:
                part.write(line)
    shutil.copy(folder / QUESTIONS, into)
    return into
