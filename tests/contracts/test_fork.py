"""The fork index answers as an expansion does: the arithmetic, and dense keys on a real Neo4j."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, LiteralString

import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j import Driver

from graph import fork as forks
from graph.fork import LEAF, OPEN, ancestors, fork, leaf
from graph.repair import repair
from graph.server import Connection
from graph.verify import verify
from lakehouse.memory import MemoryLedger
from lakehouse.model.beliefs import Belief, key_of
from lakehouse.model.errors import UnavailableError
from lakehouse.model.instants import FIRST, FOREVER, LAST
from queries import Memory
from queries.reading import EpochMoved, Reader
from queries.statements import verb
from tests.golden import collected
from tests.graph_engine import LineEngine
from tests.handmade import Handmade
from tests.histories import History

_INSTANT = st.integers(FIRST, LAST) | st.integers(-100, 100)
_LENGTH = st.integers(1, 2**20) | st.integers(1, 2**58) | st.just(FOREVER)


@given(_INSTANT, _LENGTH, st.data())
def test_the_fork_of_every_period_that_holds_an_instant_is_among_its_ancestors(
    start: int, length: int, data: st.DataObject
) -> None:
    end = FOREVER if length == FOREVER else min(start + length, LAST + 1)
    at = data.draw(st.integers(start, end - 1))
    middle, asked = fork(start, end), [*ancestors(at), leaf(at)]
    assert middle in asked
    assert start <= middle < end or middle == leaf(start) == leaf(end - 1)
    assert (middle in OPEN) == (end == FOREVER or start <= 0 < end)
    assert len(set(asked)) == len(asked) <= 63 - LEAF


@given(st.integers(-200, 200), st.integers(1, 200))
def test_a_fork_is_what_the_highest_power_of_two_divides(start: int, length: int) -> None:
    def power(number: int) -> int:
        return number & -number if number else 2**62

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forks, "LEAF", 1)
        assert fork(start, start + length) == max(range(start, start + length), key=power)


@given(st.integers(FIRST, LAST), st.integers(1, 2**LEAF), st.integers(FIRST, LAST))
def test_periods_of_a_leaf_hold_nothing_outside_of_it(start: int, length: int, at: int) -> None:
    if fork(start, start + length) == leaf(start) and leaf(at) != leaf(start):
        assert not start <= at < start + length
        assert leaf(start) not in ancestors(at)


class Line(LineEngine):
    """The whole line, whose ledgers and tenants a test can look at."""

    def __init__(self, driver: Driver, database: str) -> None:
        super().__init__(driver, database)
        self.ledgers: dict[str, MemoryLedger] = {}

    def _project(self, ledger: MemoryLedger, tenant: str, began: int) -> None:
        self.ledgers[tenant] = ledger
        super()._project(ledger, tenant, began)


@pytest.fixture(params=[1, LEAF], ids=["a seek each power", "most in leaves"])
def dense(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rectangles make a key dense, two are looked at without asking."""
    monkeypatch.setattr(forks, "DENSE", 3)
    monkeypatch.setattr(forks, "CROWD", 2)
    monkeypatch.setattr(forks, "LEAF", request.param)


@pytest.fixture
def line(dense: None, neo4j_driver: Driver, neo4j_connection: Connection) -> Iterator[Line]:
    with Line(neo4j_driver, neo4j_connection.database) as line:
        yield line


def _histories(count: int) -> list[History]:
    found = [*collected.diaries(), *collected.random_histories(60)]
    found = [one for one in found if len(one.history.statements) >= 8]
    return [one.history for one in random.Random(5).sample(found, count)]


def test_dense_keys_answer_as_their_entities_do(
    line: Line, neo4j_driver: Driver, neo4j_connection: Connection
) -> None:
    """Batch after batch: the forks are what the lake says, and the answers those of expanding."""
    line.load(_histories(2))
    database, sure = neo4j_connection.database, random.Random(3)
    relied = answered = 0
    for tenant, ledger in line.ledgers.items():
        beliefs = ledger.beliefs(tenant)
        ends = (at for b in beliefs for at in (b.recorded_from, b.recorded_to - 1))
        known = sorted({at for at in ends if at < LAST})
        for belief in sure.sample(beliefs, min(4, len(beliefs))):
            for known_at in sure.sample(known, min(3, len(known))):
                view = line._memory.view(
                    tenant, valid_at=max(belief.valid_from, FIRST), known_at=known_at, clearance=3,
                    listener=sure.choice(["trust>=0", "trust>=2"]),
                )  # fmt: skip
                value = () if belief.key == _key(belief) else (str(belief.object),)
                by_key = view.key(belief.subject, belief.predicate, *value).beliefs
                told = view.beliefs(belief.subject, belief.predicate).beliefs
                assert by_key == tuple(one for one in told if one.key == belief.key)
                answered += len(by_key)
        relied += sum(name in forks.forks(beliefs) for name in (b.belief_id for b in beliefs))
        spoilt = "MATCH ()-[r:ATTRIBUTE {tenant: $t}]->() WHERE r.fork IS NOT NULL SET r.fork = 7"
        neo4j_driver.execute_query(spoilt, t=tenant, database_=database)
        repair(ledger, neo4j_driver, database, tenant)
        assert verify(ledger, neo4j_driver, database, tenant).equal
    assert relied > 10
    assert line._memory._reader.crowded
    assert answered > 5


@pytest.mark.parametrize("since", [-100, 0, 1])
def test_what_has_not_ended_is_found_whenever_it_began(
    neo4j_driver: Driver, neo4j_connection: Connection, monkeypatch: pytest.MonkeyPatch, since: int
) -> None:
    """Before 1970 too, where no instant that was heard lies above the fork of what is open."""
    monkeypatch.setattr(forks, "CROWD", 0)
    graph = Handmade(neo4j_driver, neo4j_connection.database)
    graph.publish(since + 5)
    graph.believe("a", "size", "3", recorded=(since - 9, since), fork=fork(since - 9, since))
    graph.believe("a", "size", "4", recorded=(since, FOREVER), fork=fork(since, FOREVER))
    with Memory(graph.driver, graph.database, close=lambda: None) as memory:
        view = memory.view(graph.tenant, valid_at=1, known_at=since + 2, clearance=3)
        assert view.key("a", "size").values == {"4"} == view.beliefs("a", "size").values
        assert memory._reader.crowded


def _key(belief: Belief) -> str:
    return key_of(belief.tenant, belief.subject, belief.predicate)


def test_while_a_batch_is_open_a_dense_key_is_expanded(
    line: Line, neo4j_driver: Driver, neo4j_connection: Connection
) -> None:
    (history,) = _histories(1)
    line.load([history])
    ((tenant, ledger),) = line.ledgers.items()
    belief = next(
        b for b in ledger.beliefs(tenant) if b.belief_id in forks.forks(ledger.beliefs(tenant))
    )
    reader = Reader(neo4j_driver, neo4j_connection.database, pause=0.0001)
    given = {
        "key": belief.key, "forks": ancestors(belief.recorded_from),
        "leaf": leaf(belief.recorded_from), "open": OPEN, "valid_at": belief.valid_from,
        "known_at": belief.recorded_from, "listener": belief.listeners & -belief.listeners,
        "clearance": 3,
    }  # fmt: skip

    def found() -> list[Any]:
        return reader.read(tenant, verb("dense_key"), given, relies=lambda rows: bool(rows[0])).rows

    def refused(text: LiteralString) -> None:
        with pytest.raises(UnavailableError) as moved:
            reader.read(tenant, text, given, relies=lambda rows: bool(rows[0]))
        assert isinstance(moved.value.__cause__, EpochMoved)
        assert "dense key" in str(moved.value.__cause__)

    dense, told = found()
    assert dense and [row[0] for row in told] == [belief.belief_id]
    refused(verb("dense_key").replace("p.updated_at AS", "p.updated_at - 1 AS"))
    opened = "MATCH (p:Projection {tenant: $t}) SET p.projecting = 99"
    neo4j_driver.execute_query(opened, t=tenant, database_=neo4j_connection.database)
    assert found() == [False, told]
    refused(verb("dense_key").replace("p.projecting IS NULL AS calm", "true AS calm"))
