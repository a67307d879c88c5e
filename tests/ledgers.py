"""Hypothesis strategies for whole ledgers: every operation, ties, several keys, marks on marks."""

from __future__ import annotations

from hypothesis import strategies as st

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement

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
    )
)

_KINDS = st.sampled_from(
    [Operation.ASSERT] * 6
    + [Operation.END, Operation.RETRACT, Operation.WITHDRAW, Operation.WITHDRAW]
    + [Operation.MARK, Operation.ERASE]
)
_LEVEL = st.integers(0, 3)
_INSTANT = st.integers(0, HORIZON)


def cardinality(predicate: str) -> Cardinality:
    """Of the predicates that the ledgers use."""
    return PREDICATES[predicate]


@st.composite
def ledgers(draw: st.DrawFn, most: int = 14, tenant: str = "t") -> list[Statement]:
    """A ledger of up to `most` statements in ledger order, recorded at 1, 2, … with ties."""
    statements: list[Statement] = []
    at = 1
    for seq in range(draw(st.integers(1, most))):
        at += draw(st.integers(0, 2))
        statements.append(draw(_statement(tenant, seq, at)))
    return statements


@st.composite
def _statement(draw: st.DrawFn, tenant: str, seq: int, at: int) -> Statement:
    op = draw(_KINDS)
    common = {
        "tenant": tenant,
        "statement_id": f"s{seq}",
        "op": op,
        "recorded_at": at,
        "seq": seq,
        "episode_id": f"e{draw(st.integers(0, 5))}",
        "trust": draw(_LEVEL),
        "source": draw(st.sampled_from(SOURCES)),
        "tags": draw(st.sampled_from([(), ("audited",)])),
    }
    if op in (Operation.WITHDRAW, Operation.MARK, Operation.ERASE):
        own = st.integers(0, max(seq - 1, 0)).map(lambda n: f"s{n}")
        names = own | st.integers(0, 5).map(lambda n: f"e{n}")
        if op is Operation.ERASE:
            names |= st.sampled_from([*SUBJECTS, *VALUES])
        mark = draw(_LEVEL) if op is Operation.MARK else None
        return Statement(**common, target=draw(names), mark_trust=mark)  # type: ignore[arg-type]
    return Statement(**common, **draw(_spoken(op)))  # type: ignore[arg-type]


@st.composite
def _spoken(draw: st.DrawFn, op: Operation) -> dict[str, object]:
    predicate = draw(st.sampled_from(sorted(PREDICATES)))
    many = PREDICATES[predicate] is Cardinality.MANY
    value: str | None = draw(st.sampled_from(VALUES))
    if op is not Operation.ASSERT and (not many or draw(st.booleans())):
        value = None
    start = draw(st.just(ALWAYS) | _INSTANT) if op is not Operation.END else draw(_INSTANT)
    explicit = st.integers(1, 8).map(lambda n: n + (0 if start == ALWAYS else start))
    ends = explicit | st.just(FOREVER)
    if op is Operation.ASSERT:
        ends |= st.just(UNTIL_CHANGED)
    return {
        "subject": draw(st.sampled_from(SUBJECTS)),
        "predicate": predicate,
        "object": value,
        "valid_from": start,
        "valid_to": UNTIL_CHANGED if op is Operation.END else draw(ends),
    }
