"""Hypothesis strategies for whole ledgers: every operation, ties, several keys, marks on marks.

`ledgers` speaks of literal states and of links; `webs` links entities to one another, for paths.
`drawn` takes many at once from a strategy, the same ones for the same seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import ENTITY, Operation, Statement

_T = TypeVar("_T")


@dataclass(frozen=True)
class Vocabulary:
    """What the statements of a ledger may speak of; predicates in `literals` have no entity."""

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    predicates: Mapping[str, Cardinality]
    literals: frozenset[str] = frozenset()


SUBJECTS = ("S", "T")
PREDICATES = {"state": Cardinality.ONE, "tags": Cardinality.MANY}
SOURCES = ("chat", "registry", "scada")
VALUES = ("X", "Y", "Z")
HORIZON = 12
LISTENERS = Listeners(
    (
        Listener("registry", sources=frozenset({"registry"})),
        Listener("not chat", min_trust=1, sources=frozenset({"registry", "scada"})),
        Listener("audited", tags=frozenset({"audited"})),
        Listener("open", max_classification=1),
    )
)
_ENTITIES: Final = ("A", "B", "C", "D")
_PLAIN: Final = Vocabulary(SUBJECTS, VALUES, PREDICATES, frozenset({"state"}))
_WEB: Final = Vocabulary(_ENTITIES, _ENTITIES, {"boss": Cardinality.ONE, "knows": Cardinality.MANY})
_CARDINALITY: Final = {**PREDICATES, **_WEB.predicates}

_KINDS = st.sampled_from(
    [Operation.ASSERT] * 6
    + [Operation.END, Operation.RETRACT, Operation.WITHDRAW, Operation.WITHDRAW]
    + [Operation.MARK, Operation.ERASE]
)
_MOSTLY_SAID = st.sampled_from(
    [Operation.ASSERT] * 9 + [Operation.END, Operation.WITHDRAW, Operation.MARK]
)
_LEVEL = st.integers(0, 3)
_INSTANT = st.integers(0, HORIZON)
_TAGS = st.sampled_from([(), ("audited",), ("audited", "signed"), ("signed",)])
_MARKS = st.tuples(st.none() | _LEVEL, st.none() | _LEVEL).filter(lambda mark: mark != (None, None))


def cardinality(predicate: str) -> Cardinality:
    """Of the predicates that the ledgers use."""
    return _CARDINALITY[predicate]


def drawn(strategy: st.SearchStrategy[_T], count: int, number: int) -> list[_T]:
    """So many examples of a strategy, for the seed of that number."""
    found: list[_T] = []

    @seed(number)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: _T) -> None:
        found.append(example)

    collect()
    return found


@st.composite
def ledgers(draw: st.DrawFn, least: int = 1, most: int = 14, tenant: str = "t") -> list[Statement]:
    """A ledger of up to `most` statements in ledger order, recorded at 1, 2, … with ties."""
    return draw(_ledger(_PLAIN, _KINDS, least, most, tenant))


@st.composite
def webs(draw: st.DrawFn, least: int = 6, most: int = 16, tenant: str = "t") -> list[Statement]:
    """A ledger that links entities to one another."""
    return draw(_ledger(_WEB, _MOSTLY_SAID, least, most, tenant))


@st.composite
def _ledger(
    draw: st.DrawFn,
    words: Vocabulary,
    kinds: st.SearchStrategy[Operation],
    least: int,
    most: int,
    tenant: str,
) -> list[Statement]:
    statements: list[Statement] = []
    at = 1
    for seq in range(draw(st.integers(least, most))):
        at += draw(st.integers(0, 2))
        statements.append(draw(_statement(words, draw(kinds), tenant, seq, at)))
    return statements


@st.composite
def _statement(
    draw: st.DrawFn, words: Vocabulary, op: Operation, tenant: str, seq: int, at: int
) -> Statement:
    common = {
        "tenant": tenant,
        "statement_id": f"s{seq}",
        "op": op,
        "recorded_at": at,
        "seq": seq,
        "episode_id": f"e{draw(st.integers(0, 5))}",
        "trust": draw(_LEVEL),
        "classification": draw(_LEVEL),
        "source": draw(st.sampled_from(SOURCES)),
        "tags": draw(_TAGS),
    }
    if op in (Operation.WITHDRAW, Operation.MARK, Operation.ERASE):
        own = st.integers(0, max(seq - 1, 0)).map(lambda n: f"s{n}")
        names = own | st.integers(0, 5).map(lambda n: f"e{n}")
        if op is Operation.ERASE:
            names |= st.sampled_from([*words.subjects, *words.values])
        trust, level = draw(_MARKS) if op is Operation.MARK else (None, None)
        return Statement(**common, target=draw(names), mark_trust=trust, mark_classification=level)  # type: ignore[arg-type]
    return Statement(**common, **draw(_spoken(words, op)))  # type: ignore[arg-type]


@st.composite
def _spoken(draw: st.DrawFn, words: Vocabulary, op: Operation) -> dict[str, object]:
    predicate = draw(st.sampled_from(sorted(words.predicates)))
    many = words.predicates[predicate] is Cardinality.MANY
    value: str | None = draw(st.sampled_from(words.values))
    if op is not Operation.ASSERT and (not many or draw(st.booleans())):
        value = None
    start = draw(st.just(ALWAYS) | _INSTANT) if op is not Operation.END else draw(_INSTANT)
    explicit = st.integers(1, 8).map(lambda n: n + (0 if start == ALWAYS else start))
    ends = explicit | st.just(FOREVER)
    if op is Operation.ASSERT:
        ends |= st.just(UNTIL_CHANGED)
    return {
        "subject": draw(st.sampled_from(words.subjects)),
        "predicate": predicate,
        "object": value,
        "object_kind": "string" if predicate in words.literals else ENTITY,
        "valid_from": start,
        "valid_to": UNTIL_CHANGED if op is Operation.END else draw(ends),
    }
