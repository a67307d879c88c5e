"""Random ledgers of every operation: fold, lake and graph give what the replay gives.

BELIEFGRAPH_LEDGERS says how many (2,000 in the long run); each ledger is a tenant of its own and
many are written at once. Fold and replay are compared for every key, listener and boundary;
lake and graph at every boundary too, but each of their questions for one listener, in turn. The
ordinary run asks them a sample of these.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest
from neo4j import Driver

from graph.server import Connection
from lakehouse.model.statements import Statement
from tests.engines import FoldEngine, ReplayEngine, compare
from tests.graph_engine import GraphEngine
from tests.histories import Asked, History, everywhere, paths_everywhere, sample
from tests.lake_engine import LakeEngine
from tests.ledgers import LISTENERS, cardinality, drawn, ledgers, webs
from tests.tally import ALL, Tally

LEDGERS = int(os.environ.get("BELIEFGRAPH_LEDGERS", "60"))
SEED = int(os.environ.get("BELIEFGRAPH_SEED", "1"))
TOGETHER = 100
"""Ledgers that are written and asked at once."""
SAMPLE = None if ALL else 5_000
PATHS = None if ALL else 60
REACHES = 1_000 if ALL else 200
"""Path questions of each group of webs, times the hops."""
BRIEF = None if ALL else 60_000


@pytest.mark.timeout(36_000)
def test_every_boundary_of_random_ledgers(
    neo4j_driver: Driver, neo4j_connection: Connection, tally: Tally
) -> None:
    by_fold, by_both = 0, 0
    for together in histories(drawn(ledgers(least=5, most=16), LEDGERS, SEED)):
        fold, replay = FoldEngine(), ReplayEngine()
        fold.load(together)
        replay.load(together)
        questions = sample([q for one in together for q in everywhere(one)], BRIEF)
        wrong = compare(questions, fold.ask(questions), replay.ask(questions))
        assert not wrong, wrong[:3]
        by_fold += len(questions)
        few = sample([q for one in together for q in in_turn(one)], SAMPLE)
        expected = replay.ask(few)
        lake = LakeEngine()
        lake.load(together)
        wrong = compare(few, lake.ask(few), expected)
        assert not wrong, wrong[:3]
        with GraphEngine(neo4j_driver, neo4j_connection.database) as graph:
            graph.load(together)
            wrong = compare(few, graph.ask(few), expected)
            assert not wrong, wrong[:3]
        by_both += len(few)
    tally.tell(f"questions of {LEDGERS:,} ledgers by the fold", by_fold)
    tally.tell(f"questions of {LEDGERS:,} ledgers by the lake and by the graph", by_both)


@pytest.mark.timeout(36_000)
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_paths_of_random_webs(
    hops: int, neo4j_driver: Driver, neo4j_connection: Connection, tally: Tally
) -> None:
    by_fold, by_both, reached = 0, 0, 0
    count = -(-LEDGERS // 4)
    for together in histories(drawn(webs(), count, SEED + hops)):
        fold, replay = FoldEngine(), ReplayEngine()
        fold.load(together)
        replay.load(together)
        questions = [q for one in together for q in paths_everywhere(one, hops)]
        questions = sample(questions, REACHES * hops)
        expected = replay.reach(questions)
        assert fold.reach(questions) == expected
        by_fold += len(questions)
        few, wanted = questions[:PATHS], expected[:PATHS]
        lake = LakeEngine()
        lake.load(together)
        assert lake.reach(few) == wanted
        with GraphEngine(neo4j_driver, neo4j_connection.database) as graph:
            graph.load(together)
            assert graph.reach(few) == wanted
        by_both += len(few)
        reached += sum(map(bool, wanted))
    assert reached > by_both / 10, "many webs must have something to reach"
    tally.tell(f"path questions of {count:,} webs by the fold", by_fold)
    tally.tell(f"path questions of {count:,} webs by the lake and by the graph", by_both)


def histories(found: list[list[Statement]]) -> Iterator[list[History]]:
    """The ledgers as histories, each a tenant of its own, in groups."""
    for start in range(0, len(found), TOGETHER):
        yield [
            History(
                f"r{number}",
                tuple(replace(s, tenant=f"r{number}") for s in ledger),
                cardinality,
                LISTENERS,
            )
            for number, ledger in enumerate(found[start : start + TOGETHER], start)
        ]


def in_turn(history: History) -> Iterator[Asked]:
    """Every boundary of every key, each pair of instants for one listener."""
    rules = history.listeners.rules
    for place, question in enumerate(everywhere(history)):
        number, listener = divmod(place, len(rules))
        if listener == number % len(rules):
            yield question
