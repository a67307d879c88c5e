"""SQL over the lake's statements answers as DESIGN section 3 says, and as the other engines do."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakehouse.asof import lake as lake_files
from lakehouse.asof.asof import AsOf, At, Question, Values
from lakehouse.asof.lake import LakeStatements
from lakehouse.asof.rectangles import Rectangle
from lakehouse.asof.relations import Statements
from lakehouse.iceberg import IcebergLedger
from lakehouse.keys import TenantKeys
from lakehouse.model.beliefs import ERASED, Belief, key_of
from lakehouse.model.fold import fold
from lakehouse.model.instants import FOREVER
from lakehouse.model.ledger import Clock, Extracted
from lakehouse.model.listeners import Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement
from lakehouse.store import Store, open_store
from lakehouse.vault import open_vault
from tests.engines import FoldEngine, ReplayEngine, compare
from tests.golden import collected, plant
from tests.histories import History, everywhere, paths_everywhere, sample
from tests.lake_engine import LakeEngine
from tests.ledgers import LISTENERS, PREDICATES, SUBJECTS, cardinality, drawn, ledgers, webs
from tests.tally import ALL

LEDGERS = int(os.environ.get("BELIEFGRAPH_LEDGERS", "60"))
MOST = None if ALL else 10_000
"""Questions asked of the random ledgers together; all of them with BELIEFGRAPH_ALL=1."""
MANY = [name for name, kind in PREDICATES.items() if kind is Cardinality.MANY]
UNDOING = (Operation.WITHDRAW, Operation.MARK)
KEYS = [(subject, predicate) for subject in SUBJECTS for predicate in PREDICATES]


def test_every_golden_answer() -> None:
    golden = collected.everything()
    engine = LakeEngine()
    engine.load([one.history for one in golden])
    asked = [one for history in golden for one in history.questions]
    got = engine.ask([question for question, _ in asked])
    assert len(asked) > 18_500
    assert compare([q for q, _ in asked], got, [answer for _, answer in asked]) == []


def test_every_golden_path() -> None:
    golden = [one for one in collected.everything(0) if one.paths]
    engine = LakeEngine()
    engine.load([one.history for one in golden])
    asked = [one for history in golden for one in history.paths]
    assert asked
    got = engine.reach([question for question, _ in asked])
    assert got == [steps for _, steps in asked]


def _histories(strategy: st.SearchStrategy[list[Statement]], seed: int) -> list[History]:
    """Random ledgers, each its own tenant; they are asked together."""
    return [
        History(f"t{n}", tuple(ledger), cardinality, LISTENERS)
        for n, ledger in enumerate(drawn(strategy, LEDGERS, seed))
    ]


def test_random_ledgers_at_every_boundary() -> None:
    histories = _histories(ledgers(least=4, most=16), 1)
    replay, painted = ReplayEngine(), LakeEngine()
    for engine in (replay, painted):
        engine.load(histories)
    asked = sample([one for history in histories for one in everywhere(history)], MOST)
    assert compare(asked, painted.ask(asked), replay.ask(asked)) == []


def test_random_paths() -> None:
    histories = _histories(webs(), 2)
    replay, painted = ReplayEngine(), LakeEngine()
    for engine in (replay, painted):
        engine.load(histories)
    asked = sample([one for history in histories for one in paths_everywhere(history, 3)], 1_500)
    expected = replay.reach(asked)
    assert painted.reach(asked) == expected
    assert max(max(steps.values(), default=0) for steps in expected) == 3


@pytest.mark.parametrize("clearance", [0, 1, 2])
def test_clearance_hides_what_it_hides_in_the_fold(clearance: int) -> None:
    histories = _histories(ledgers(least=4), 3)
    folded, painted = FoldEngine(), LakeEngine()
    for engine in (folded, painted):
        engine.load(histories)
    every = [one for history in histories for one in everywhere(history)]
    asked = [one._replace(clearance=clearance) for one in sample(every, MOST)]
    assert compare(asked, painted.ask(asked), folded.ask(asked)) == []


@given(ledgers())
def test_rectangles_are_those_of_the_fold(ledger: list[Statement]) -> None:
    asof = AsOf(Statements.of("t", ledger), MANY, LISTENERS)
    cut = [one for several in asof.rectangles(KEYS) for one in several]
    folded = fold(ledger, cardinality, LISTENERS)
    undoing = Counter(one.recorded_at for one in ledger if one.op in UNDOING)
    rows, beliefs = (
        {row[:-1] if undoing[row[2][2]] > 1 else row for row in told}
        for told in (map(_of_sql, cut), map(_of_fold, folded.beliefs))
    )
    assert rows == beliefs


@pytest.mark.xfail(
    strict=True, reason="SQL names the last that undoes, also one that changed nothing"
)
def test_of_two_that_undo_at_once_the_one_that_changed_something_is_named() -> None:
    said = Statement(
        tenant="t", statement_id="s0", op=Operation.ASSERT, recorded_at=1, seq=0, episode_id="e",
        subject="S", predicate="state", object="X", object_kind="string", valid_to=FOREVER,
        source="chat", classification=1,
    )  # fmt: skip
    undoing = replace(said, subject="", predicate="", object=None, target="s0", classification=0)
    withdrawal = replace(undoing, op=Operation.WITHDRAW, statement_id="s3", recorded_at=2, seq=3)
    mark = replace(undoing, op=Operation.MARK, statement_id="s4", recorded_at=2, seq=4)
    ledger = [
        said,
        replace(withdrawal, statement_id="s1", recorded_at=1, seq=1, classification=2),
        replace(said, statement_id="s2", seq=2, classification=0),
        withdrawal,
        replace(mark, mark_classification=1),
    ]
    asof = AsOf(Statements.of("t", ledger), MANY, LISTENERS)
    cut = [one for several in asof.rectangles(KEYS) for one in several]
    assert {one.opened_by for one in cut if one.recorded_from == 2} == {"s3"}


def _of_sql(one: Rectangle) -> tuple[Any, ...]:
    key = key_of("t", one.subject, one.predicate, *([one.slot] if one.predicate in MANY else []))
    return (
        key,
        None if one.erased else one.object,
        (one.valid_from, one.valid_to, one.recorded_from, one.recorded_to),
        one.mask,
        (one.origin, one.trust, one.classification),
        one.strictest,
        one.opened_by,
    )


def _of_fold(one: Belief) -> tuple[Any, ...]:
    return (
        one.key,
        one.object,
        (one.valid_from, one.valid_to, one.recorded_from, one.recorded_to),
        one.listeners,
        (one.origin, one.trust, one.classification),
        one.strictest,
        one.opened_by,
    )


@settings(max_examples=15)
@given(ledgers())
def test_the_whole_state_is_what_each_key_says(ledger: list[Statement]) -> None:
    asof = AsOf(Statements.of("t", ledger), MANY, LISTENERS)
    at = At(5, ledger[-1].recorded_at, "not chat")
    state: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    for row in asof.state(at).to_pylist():
        values = state.setdefault((row["subject"], row["predicate"]), {})
        values[ERASED if row["erased"] else row["object"]] = frozenset(row["supporters"])
    each = asof.believed([Question(*key, at.valid_at, at.known_at, at.listener) for key in KEYS])
    assert state == {key: values for key, values in zip(KEYS, each, strict=True) if values}
    for subject in SUBJECTS:
        of_it = {predicate: v for (name, predicate), v in state.items() if name == subject}
        assert asof.entity(subject, at) == of_it


def test_a_mark_counts_for_whom_it_is_not_heard_by() -> None:
    """A mark of the same instant lowers the level for all, also where no such source is heard."""
    said = replace(_said("s0", 1), classification=3, source="scada", subject="S")
    mark = replace(said, statement_id="m", op=Operation.MARK, seq=1, episode_id="e1", target="s0",
                   subject="", predicate="", object=None, mark_classification=1)  # fmt: skip
    other = replace(_said("s1", 2, "other"), seq=2, episode_id="e2", source="registry")
    asof = AsOf(Statements.of("t", [said, mark, other]), MANY, LISTENERS)
    question = Question("S", "state", 5, 1)
    assert asof.believed([question], clearance=1) == [{"v": {"s0"}}]
    assert asof.believed([question], clearance=0) == [{}]


def test_undoing_is_settled_however_deep_it_goes() -> None:
    said = _said("s0", 1)
    undone = [
        replace(said, statement_id=f"s{n}", op=Operation.WITHDRAW, recorded_at=n + 1, seq=n,
                episode_id=f"e{n}", subject="", predicate="", object=None, target=f"s{n - 1}")
        for n in range(1, 60)
    ]  # fmt: skip
    asof = AsOf(Statements.of("t", [said, *undone]), [], Listeners())
    questions = [Question("S", "state", 5, known_at) for known_at in range(1, 61)]
    believed = [bool(values) for values in asof.believed(questions)]
    assert believed == [known_at % 2 == 1 for known_at in range(1, 61)]


def test_one_wildcard_withdrawal_by_an_episode_of_many() -> None:
    """An episode that withdraws itself reaches only what it had said before."""
    said = [replace(_said(f"s{n}", 1, f"v{n}"), seq=n, predicate="tags") for n in range(3)]
    undo = replace(said[0], statement_id="w", op=Operation.WITHDRAW, seq=1, target="e",
                   subject="", predicate="", object=None)  # fmt: skip
    ledger = [said[0], undo, *(replace(s, seq=s.seq + 2) for s in said[1:])]
    asof = AsOf(Statements.of("t", ledger), ["tags"], Listeners())
    (values,) = asof.believed([Question("S", "tags", 5, 1)])
    assert values == {"v1": {"s1"}, "v2": {"s2"}}


def _said(statement_id: str, recorded_at: int, value: str = "v") -> Statement:
    return Statement(
        tenant="t",
        statement_id=statement_id,
        op=Operation.ASSERT,
        recorded_at=recorded_at,
        seq=0,
        episode_id="e",
        subject="S",
        predicate="state",
        object=value,
        object_kind="string",
        valid_from=0,
    )


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path, {})


@pytest.fixture
def ledger(store: Store, tmp_path: Path) -> IcebergLedger:
    return IcebergLedger(store, TenantKeys(tmp_path), open_vault(tmp_path, {}))


def _append(ledger: IcebergLedger, tenant: str, said: list[Statement], **more: Any) -> int:
    settings = {"clock": Clock.ATTESTED, "through": 0} | more
    rows = [Extracted(replace(one, tenant=tenant)) for one in said]
    return ledger.append_statements(tenant, rows, **settings).position


def _plant(statements: Statements) -> AsOf:
    declared = plant.declaration()
    many = [n for n, p in declared.schema.declared.items() if p.cardinality is Cardinality.MANY]
    return AsOf(statements, many, Listeners(declared.listeners))


@pytest.mark.parametrize("local", [True, False], ids=["read by DuckDB", "read through PyArrow"])
def test_the_plant_in_a_lake(
    store: Store, ledger: IcebergLedger, monkeypatch: pytest.MonkeyPatch, local: bool
) -> None:
    if not local:
        monkeypatch.setattr(lake_files, "_PATTERN", frozenset("/"))
    said = plant.ledger()
    for begin in range(0, len(said), 9):
        _append(ledger, "plant", said[begin : begin + 9])
    asof = _plant(LakeStatements(store, "plant"))
    for one in plant.questions():
        question = Question(one.subject, one.predicate, one.valid_at, one.known_at, one.listener)
        assert asof.believed([question], clearance=one.clearance) == [one.expect], one.about


def test_the_lake_tells_committed_statements_of_its_tenant_up_to_a_position(
    store: Store, ledger: IcebergLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _append(ledger, "one", [_said("s0", 1)])
    _append(ledger, "two", [_said("s0", 1, "of another tenant")])
    _append(ledger, "one", [_said("s1", 2, "later")], clock=Clock.SYSTEM)
    stamped = ledger.statements("one")[-1].recorded_at
    with monkeypatch.context() as patch:
        patch.setattr(ledger._log, "append", _killed)
        with pytest.raises(KeyboardInterrupt):
            _append(ledger, "one", [_said("s2", 3, "never committed")], clock=Clock.SYSTEM)

    def told(tenant: str, known_at: int, through: int | None = None) -> Values:
        asof = AsOf(LakeStatements(store, tenant, through=through), [], Listeners())
        return asof.believed([Question("S", "state", 5, known_at)])[0]

    assert told("one", FOREVER - 1) == {"later": {"s1"}}
    assert told("one", stamped) == {"later": {"s1"}}
    assert told("one", stamped - 1) == {"v": {"s0"}}
    assert told("one", FOREVER - 1, first) == {"v": {"s0"}}
    assert told("two", FOREVER - 1) == {"of another tenant": {"s0"}}
    assert told("three", FOREVER - 1) == {}


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_names_reach_sql_as_values_only(store: Store, ledger: IcebergLedger) -> None:
    odd = ["it's", 'a "b"', "c' OR 1=1 --", "päron*?[x]"]
    said = [
        replace(_said(f"s{n}", 1), seq=n, subject=name, predicate=name, object=name)
        for n, name in enumerate(odd)
    ]
    _append(ledger, "t", said)
    asof = AsOf(LakeStatements(store, "t"), odd[:1], Listeners())
    got = asof.believed([Question(name, name, 5, 1) for name in odd])
    assert got == [{name: {f"s{n}"}} for n, name in enumerate(odd)]
    assert asof.keys_holding([odd[2]], odd[2]) == [(odd[2], odd[2])]
    assert asof.keys_holding(odd) == sorted((name, name) for name in odd)
    assert asof.keys_holding(odd, links=True) == []


def test_a_rectangle_read_at_an_instant_does_not_know_what_came_later() -> None:
    ledger = [_said("s0", 1), replace(_said("s1", 5, "other"), seq=1)]
    asof = AsOf(Statements.of("t", ledger), [], Listeners())
    ((then,),) = asof.rectangles([("S", "state")], known_to=4)
    assert (then.valid_from, then.ends, then.recorded_from, then.recorded_to) == (
        0, FOREVER, 1, FOREVER,
    )  # fmt: skip
    ((before, after),) = asof.rectangles([("S", "state")])
    assert (before.recorded_to, after.recorded_from) == (5, 5)
    assert asdict(before) | {"recorded_to": FOREVER} == asdict(then)


def test_nothing_is_said_of_an_empty_ledger() -> None:
    asof = AsOf(Statements.of("t", []), [], Listeners())
    at = At(5, 5)
    assert asof.believed([Question("S", "state", 5, 5)]) == [{}]
    assert asof.believed([]) == []
    assert asof.state(at).num_rows == 0
    assert asof.reach("S", 3, at) == {}
    assert asof.rectangles([("S", "state")]) == [[]]
    assert asof.rectangles([]) == []
