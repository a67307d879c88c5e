"""The whole line over a lake on S3: nothing but settings differs, and every answer is right.

`make exhaustive-s3` runs every data set and every truth question in the same way.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from neo4j import Driver

from graph.drop import drop
from graph.server import Connection
from lakehouse.iceberg import open_ledger
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import CLASSIFICATION
from lakehouse.seaweed import S3Server
from pipelines.commands import run_line
from pipelines.runs import LandConfig, Ran
from queries.lake import LakeMemory
from queries.memory import Memory, Question
from tests.golden import plant
from tests.home import Home, home_at
from tests.lakes import s3_settings
from tests.tally import Tally

TENANT = "plant-on-s3"


@pytest.fixture
def on_s3(tmp_path: Path, neo4j_connection: Connection, s3_server: S3Server) -> Home:
    """A home whose lake lies on the S3 server."""
    return home_at(tmp_path / "home", neo4j_connection, s3_settings(s3_server))


def test_land_extract_believe_project_and_ask_by_settings_alone(
    on_s3: Home, neo4j_driver: Driver, neo4j_connection: Connection, tally: Tally
) -> None:
    declared = replace(plant.declaration(), tenant=TENANT)

    def run() -> Ran:
        return run_line(TENANT, {"plant": declared}, {"plant": LandConfig()}, echo=False)

    with on_s3.entered():
        first, second = run(), run()
        commits = open_ledger(on_s3.path, os.environ).commits(TENANT)
    assert first.total("landed") and first.total("edges_opened") and not first.total("refused")
    assert not any(second.total(name) for name in ("landed", "statements", "edges_opened"))
    assert not (on_s3.path / "lake").exists()
    assert [c.recorded_at for c in commits] == sorted({c.recorded_at for c in commits})

    database, listeners = neo4j_connection.database, Listeners(declared.listeners)
    memory = Memory(neo4j_driver, database, listeners=lambda _: listeners)
    asked = defaultdict(list)
    for one in plant.questions():
        asked[one.clearance].append(one)
    names = {level: name for name, level in CLASSIFICATION.items()}
    for clearance, ones in asked.items():
        questions = [
            Question(o.subject, o.predicate, o.valid_at, o.known_at, o.listener) for o in ones
        ]
        replies = memory.believed(TENANT, questions, clearance=names[clearance])
        assert [dict(reply.values) for reply in replies] == [one.expect for one in ones]
    tally.tell("questions to the graph, made from a lake on S3", len(plant.questions()))

    plain = next(o for o in plant.questions() if o.listener.startswith("trust>=") and o.expect)
    with on_s3.entered():
        view = LakeMemory(on_s3.path, os.environ).view(
            TENANT,
            valid_at=plain.valid_at,
            known_at=plain.known_at,
            listener="trust>=0",
            clearance="restricted",
        )
        assert set(view.beliefs(plain.subject, plain.predicate).values) == set(plain.expect)
    drop(neo4j_driver, database, TENANT)  # The session's server outlives this lake.
