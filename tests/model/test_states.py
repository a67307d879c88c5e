"""The state feed: whatever states come, the operations lead exactly to what the last one says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.episodes import Episode
from lakehouse.model.errors import ConflictError
from lakehouse.model.ledger import Extracted
from lakehouse.model.listeners import Listener
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import Operation, Statement
from pipelines.extract.declaration import Declaration
from pipelines.extract.extractor import Extraction, extract, taken_by
from pipelines.extract.loading import declare
from pipelines.extract.reading import episode_of
from pipelines.extract.snapshots import complete
from pipelines.extract.states import Digests, RecordState
from tests.reference import believed

KEY = b"the key of the tests"
EVERYONE = Listener("everyone")
SITE = """
    source: site
    tenant: demo
    feed: state
    files: [site.jsonl]
    episode:
      record: id
      version: version
      recorded_at: at
      deletes: op == 'delete'
      unreadable: op == 'unreadable'
      trust: {path: trust}
    predicates:
      one: {cardinality: one, object: string, subject_type: site}
      many: {cardinality: many, object: string, subject_type: site}
    statements:
      - {for_each: one, subject: $.id, predicate: one, object: value,
         valid_from: from, valid_to: to}
      - {for_each: many, subject: $.id, predicate: many, object: value,
         valid_from: from, valid_to: to}
"""


def site(**rules: str) -> Declaration:
    """The source with further keys for both predicates, `on_delete: end` and the like."""
    more = "".join(f", {key}: {word}" for key, word in rules.items())
    return declare(
        dedent(SITE).replace("subject_type: site", f"subject_type: site{more}"), Path("s")
    )


def day(number: int) -> str:
    """Day `number` of the year 2024."""
    return f"2024-{1 + number // 28:02}-{1 + number % 28:02}T00:00:00Z"


def state(number: int, **fields: Any) -> dict[str, Any]:
    """A state of the record `a`, recorded on that day."""
    return {"id": "a", "version": f"v{number}", "at": day(number), **fields}


def episodes(declared: Declaration, states: Sequence[dict[str, Any]]) -> list[Episode]:
    """The states as landed episodes."""
    return [
        episode_of(declared, json.dumps(one).encode(), f"s:{number}", number)
        for number, one in enumerate(states, start=1)
    ]


def run(declared: Declaration, *states: dict[str, Any]) -> Extraction:
    """What an import of these states says."""
    return extract(declared, episodes(declared, states), key=KEY, now=None)


def told(extraction: Extraction) -> list[tuple[str, ...]]:
    """Operations in short: operation, object or target, and what it undoes."""
    assert not extraction.refusals, extraction.refusals
    return [
        (one.statement.op.value, one.statement.object or one.statement.target or "", one.undoes)
        for one in extraction.extracted
    ]


def replayed(extracted: Sequence[Extracted]) -> RecordState:
    """The record's state as replayed from the ledger."""
    found = RecordState(Digests(KEY).deleted)
    found.apply(extracted)
    return found


def ledger(extraction: Extraction) -> list[Statement]:
    """The statements with their places in the ledger."""
    return [replace(one.statement, seq=seq) for seq, one in enumerate(extraction.extracted)]


def x(value: str, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    """A value over days."""
    bounds = {"from": start, "to": end}
    return {"value": value} | {key: day(at) for key, at in bounds.items() if at is not None}


WITHDRAW, SUPERSEDE = site(), site(on_gone="supersede")


def test_same_values_again_are_states_of_their_own() -> None:
    a, b = [x("A", 0)], [x("B", 0)]
    found = run(WITHDRAW, state(1, one=a), state(2, one=b), state(3, one=a))
    assert told(found) == [
        ("assert", "A", ""),
        ("withdraw", "site/a/v1#1", "site/a/v1#1"),
        ("assert", "B", ""),
        ("withdraw", "site/a/v2#2", "site/a/v2#2"),
        ("assert", "A", ""),
    ]
    assert [one.statement_id for one in ledger(found)][-1] == "site/a/v3#2"


def test_the_same_state_says_nothing() -> None:
    assert (
        len(run(WITHDRAW, *(state(n, one=[x("A")], many=[x("B")]) for n in range(5))).extracted)
        == 2
    )


def test_an_equal_value_with_other_metadata_is_said_anew() -> None:
    found = run(WITHDRAW, state(1, one=[x("A")]), state(2, one=[x("A")], trust="verified"))
    assert [one[0] for one in told(found)] == ["assert", "withdraw", "assert"]
    assert found.extracted[-1].statement.trust == 2


def test_a_thing_said_twice_is_said_once() -> None:
    assert len(run(WITHDRAW, state(1, many=[x("A"), x("A")])).extracted) == 1


def test_an_unreadable_version_keeps_the_state() -> None:
    found = run(WITHDRAW, state(1, one=[x("A")]), state(2, op="unreadable"), state(3, one=[x("A")]))
    assert len(found.extracted) == 1


def test_superseded_by_a_new_value_that_begins_then() -> None:
    found = run(SUPERSEDE, state(1, one=[x("A")]), state(5, one=[x("B")]))
    assert told(found) == [("assert", "A", ""), ("assert", "B", "site/a/v1#1")]
    last = found.extracted[-1].statement
    assert (last.valid_from, last.valid_from_basis) == (last.recorded_at, "recorded")


def test_superseded_by_nothing_and_in_a_list() -> None:
    found = run(SUPERSEDE, state(1, one=[x("A")], many=[x("B"), x("C")]), state(5, many=[x("C")]))
    assert told(found)[3:] == [("end", "", "site/a/v1#1"), ("end", "B", "site/a/v1#2")]
    assert {one.statement.valid_from for one in found.extracted[3:]} == {
        found.extracted[-1].statement.recorded_at
    }


def test_superseded_before_it_began_or_after_it_was_over() -> None:
    first = state(10, one=[x("A", 0, 5), x("B", 5, 20), x("C", 20)])
    found = run(SUPERSEDE, first, state(15, one=[]))
    assert told(found)[3:] == [
        ("withdraw", "site/a/v10#3", "site/a/v10#3"),
        ("end", "", "site/a/v10#2"),
    ]
    assert [one.statement.object for one in replayed(found.extracted).ordered()] == ["A"]


def test_superseded_metadata_of_the_same_value() -> None:
    found = run(SUPERSEDE, state(1, one=[x("A")]), state(5, one=[x("A")], trust="verified"))
    assert [one[0] for one in told(found)] == ["assert", "end", "assert"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("keep", []),
        ("withdraw", [("withdraw", "site/a/v1#1", "site/a/v1#1")]),
        ("end", [("end", "", "site/a/v1#1")]),
    ],
)
def test_deletion_and_return(word: str, said: list[tuple[str, ...]]) -> None:
    declared, gone = site(on_delete=word), state(2, op="delete")
    found = run(declared, state(1, one=[x("A")]), gone, state(3, op="delete"))
    assert told(found)[1:] == said
    back = run(declared, state(1, one=[x("A")]), gone, state(3, one=[x("A")]))
    undone = [("withdraw", "site/a/v2#1", "site/a/v2#1")] if said else []
    assert told(back)[1:] == said + undone
    other = run(declared, state(1, one=[x("A")]), gone, state(3, one=[x("B")]))
    assert told(other)[1:] == [
        *said, *undone, ("withdraw", "site/a/v1#1", "site/a/v1#1"), ("assert", "B", ""),
    ]  # fmt: skip


def test_a_return_may_begin_anew() -> None:
    declared = site(on_gone="supersede", on_delete="end", on_return="anew")
    found = run(
        declared, state(1, many=[x("A")]), state(2, op="delete"), state(3, many=[x("A")]),
        state(4, many=[x("A")]),
    )  # fmt: skip
    assert [one[0] for one in told(found)] == ["assert", "end", "assert"]


def test_a_predicate_may_go_otherwise_by_type_of_subject() -> None:
    by_type = "{office: {on_gone: supersede, on_delete: end, on_return: anew}}"
    text = dedent(SITE).replace("object: string,", f"object: string, by_type: {by_type},")
    told_of = []
    for subject_type in ("site", "office"):
        named = text.replace("valid_to: to}", f"valid_to: to, subject_type: {subject_type}}}")
        declared = declare(named, Path("s"))
        states = [state(1, one=[x("A")]), state(2, one=[x("B")]), state(3, op="delete")]
        found = run(declared, *states, state(4, one=[x("B")]))
        told_of.append([one[0] for one in told(found)])
        # The operations of a later batch follow the rule of what the ledger holds.
        first = run(declared, *states[:2]).extracted
        last = episodes(declared, states)[2:]
        later = extract(declared, last, key=KEY, now=None, prior={"a": first})
        assert [one[0] for one in told(later)] == {"site": [], "office": ["end"]}[subject_type]
    assert told_of == [
        ["assert", "withdraw", "assert"],
        ["assert", "assert", "end", "assert"],
    ]


def test_an_older_state_is_refused() -> None:
    found = run(WITHDRAW, state(5, one=[x("A")]), state(3, one=[x("B")]))
    (refused,) = found.refusals
    assert refused.field == "episode.recorded_at"
    assert "came after that of 2024-01-06" in refused.reason
    (late,) = episodes(WITHDRAW, [state(3, one=[x("B")])])
    taken = taken_by(episodes(WITHDRAW, [state(5), state(4)]))
    assert extract(WITHDRAW, [late], key=KEY, now=None, taken=taken).refusals


def test_a_refused_state_leaves_the_state_before() -> None:
    found = run(
        WITHDRAW, state(1, one=[x("A")]), state(2, one=[x("B", 9, 8)]), state(3, one=[x("A")])
    )
    assert len(found.extracted) == 1
    assert [one.location for one in found.refusals] == ["s:2"]


def test_a_predicate_declared_no_longer_is_withdrawn() -> None:
    first = run(WITHDRAW, state(1, one=[x("A")])).extracted
    fewer = declare(
        "\n".join(
            line for line in dedent(SITE).splitlines() if not line.startswith("  one:")
        ).replace("predicate: one", "predicate: many"),
        Path("s"),
    )
    found = extract(fewer, episodes(fewer, [state(2)]), key=KEY, now=None, prior={"a": first})
    assert told(found) == [("withdraw", "site/a/v1#1", "site/a/v1#1")]


def test_the_order_of_contradicting_values_counts() -> None:
    both = [x("A", 0, 20), x("B", 10, 30)]
    found = run(WITHDRAW, state(1, one=both), state(2, one=both[::-1]), state(3, one=both[::-1]))
    assert told(found)[2:] == [
        ("withdraw", "site/a/v1#1", "site/a/v1#1"), ("assert", "A", ""),
    ]  # fmt: skip


# What is believed along whole histories, against the same state said alone.

DAYS = st.integers(0, 12)
PERIODS = st.tuples(DAYS, st.none() | st.integers(1, 6)).map(
    lambda span: {"from": day(span[0])} | ({} if span[1] is None else {"to": day(sum(span))})  # type: ignore[arg-type]
)
VALUES = st.sampled_from("ABC")
DATED = st.lists(
    st.builds(lambda value, span: {"value": value, **span}, VALUES, PERIODS), max_size=4
)
PLAIN = st.lists(VALUES.map(lambda value: {"value": value}), max_size=3)
OPERATIONS = st.sampled_from(["upsert"] * 5 + ["delete", "unreadable"])
TRUSTS = st.sampled_from(["reported", "verified"])


def histories(values: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Histories of one record, a state a day from day 20 on."""
    one = st.fixed_dictionaries({"op": OPERATIONS, "one": values, "many": values, "trust": TRUSTS})
    return st.lists(one, min_size=1, max_size=7).map(
        lambda found: [state(20 + number, **fields) for number, fields in enumerate(found)]
    )


def standing(states: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The last state that could be read; None where that is a deletion or there is none."""
    readable = [one for one in states if one["op"] != "unreadable"]
    return readable[-1] if readable and readable[-1]["op"] == "upsert" else None


def values_at(
    statements: list[Statement], predicate: str, valid_at: int, known_at: int
) -> set[str]:
    """The believed values."""
    cardinality = Cardinality(predicate)
    return set(believed(statements, cardinality, "a", predicate, valid_at, known_at, EVERYONE))


def batches(declared: Declaration, states: Sequence[dict[str, Any]], cut: int) -> Extraction:
    """The same history in two batches, the second with what the ledger has of the first."""
    landed = episodes(declared, states)
    first = extract(declared, landed[:cut], key=KEY, now=None)
    second = extract(
        declared, landed[cut:], key=KEY, now=None,
        prior={"a": first.extracted}, taken=taken_by(landed[:cut]),
    )  # fmt: skip
    return Extraction(first.extracted + second.extracted, first.refusals + second.refusals)


@given(histories(DATED), st.integers(0, 7))
def test_replaying_gives_exactly_the_last_state(states: list[dict[str, Any]], cut: int) -> None:
    declared = site(on_delete="withdraw")
    found = run(declared, *states)
    assert not found.refusals
    assert batches(declared, states, cut) == found
    last = standing(states)
    said = set() if last is None else {one.stated for one in run(declared, last).extracted}
    assert {entry.stated for entry in replayed(found.extracted).ordered()} == said


@given(histories(DATED))
def test_every_state_is_believed_as_if_said_alone(states: list[dict[str, Any]]) -> None:
    declared = site(on_delete="withdraw")
    statements = ledger(run(declared, *states))
    for number, one in enumerate(states, start=1):
        last = standing(states[:number])
        alone = [] if last is None else ledger(run(declared, last))
        (now,) = {e.attested_at for e in episodes(declared, [one])}
        assert now is not None
        for at in sorted({s.valid_from for s in statements} | {s.valid_to for s in alone}):
            for predicate in ("one", "many"):
                assert values_at(statements, predicate, at, now) == (
                    values_at(alone, predicate, at, now)
                )


@given(histories(PLAIN))
def test_what_is_listed_is_what_was_published(states: list[dict[str, Any]]) -> None:
    """Supersede: believed at (v, k) is the list published by the earlier of the two."""
    declared = site(on_gone="supersede", on_delete="end", on_return="anew")
    statements = ledger(run(declared, *states))
    instants = [one.attested_at for one in episodes(declared, states)]
    for valid_at in instants:
        for known_at in instants:
            assert valid_at is not None
            assert known_at is not None
            published = [
                one
                for one, at in zip(states, instants, strict=True)
                if at is not None and at <= min(valid_at, known_at)
            ]
            last = standing(published) or {"one": [], "many": []}
            assert values_at(statements, "many", valid_at, known_at) == {
                one["value"] for one in last["many"]
            }
            assert values_at(statements, "one", valid_at, known_at) == {
                one["value"] for one in last["one"][-1:]
            }


@given(histories(DATED))
def test_supersede_replays_to_the_last_state_and_what_was_over(
    states: list[dict[str, Any]],
) -> None:
    declared = site(on_gone="supersede", on_delete="end")
    found = run(declared, *states)
    assert not found.refusals
    last = standing(states)
    said = {one.stated for one in run(declared, last).extracted} if last else set()
    entries = replayed(found.extracted).ordered()
    assert said <= {entry.stated for entry in entries}
    over = [entry.statement for entry in entries if entry.stated not in said]
    assert all(one.end <= found.extracted[-1].statement.recorded_at for one in over)


def test_a_snapshot_deletes_what_it_lacks(tmp_path: Path) -> None:
    declared = replace(site(on_delete="withdraw"), snapshot=True, max_drop_share=0.5)
    read = episodes(declared, [state(2, one=[x("A")])])
    file = tmp_path / "full.jsonl"
    whole = list(complete(declared, file, read, {"a", "b"}))
    assert [one.source_key for one in whole if isinstance(one, Episode)] == ["a", "b"]
    with pytest.raises(ConflictError, match="lacks 2 of the 3 records"):
        list(complete(declared, file, read, {"a", "b", "c"}))
    assert len(list(complete(declared, file, read, {"a", "b", "c"}, confirm=True))) == 3
    first = episodes(declared, [state(1, id="b", one=[x("B")])])
    found = extract(declared, [*first, *whole], key=KEY, now=None)  # type: ignore[list-item]
    assert [one.statement.op for one in found.extracted] == [
        Operation.ASSERT, Operation.ASSERT, Operation.WITHDRAW,
    ]  # fmt: skip
