"""Records become episodes and things stated; whatever is wrong is refused by line and field."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from textwrap import dedent
from typing import Any

import jmespath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.errors import InputError
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED, parse
from lakehouse.model.statements import Operation, Statement
from pipelines.extract import expressions
from pipelines.extract.canonical import canonical
from pipelines.extract.declaration import Declaration
from pipelines.extract.extractor import Extraction, extract
from pipelines.extract.footprint import fingerprint, footprint
from pipelines.extract.loading import declare
from pipelines.extract.periods import Calendar
from pipelines.extract.reading import Latest, read

KEY = b"the key of the tests"
AT = "2024-05-01T10:00:00Z"
EVENTS = """
    source: log
    tenant: demo
    feed: events
    files: [log.jsonl]
    episode: {id: id, recorded_at: at, occurred_at: occurred, trust: {path: trust}}
    predicates:
      size: {cardinality: one, object: integer, subject_type: box}
      holds: {cardinality: many, object: entity, subject_type: box, object_type: thing}
    statements:
"""


def log(*rules: str, head: str = EVENTS, more: str = "") -> Declaration:
    """An events feed with these rules."""
    lines = "".join(f"      - {rule}\n" for rule in rules)
    return declare(dedent(head + lines) + more, Path("log.yaml"))


def told(tmp_path: Path, declared: Declaration, *records: Any) -> list[Episode | Refusal]:
    """The records written to a file and read back."""
    file = tmp_path / "log.jsonl"
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return list(read(declared, [file]))


def heard(tmp_path: Path, declared: Declaration, *records: Any) -> Extraction:
    """What an import of these records says."""
    episodes = told(tmp_path, declared, *records)
    assert all(isinstance(one, Episode) for one in episodes), episodes
    return extract(declared, episodes, key=KEY, now=None)  # type: ignore[arg-type]


def only(extraction: Extraction) -> Statement:
    """The one statement said."""
    assert not extraction.refusals, extraction.refusals
    (found,) = extraction.extracted
    return found.statement


SIZE = "{subject: box, predicate: size, object: size, valid_from: from, valid_to: to}"


def record(**fields: Any) -> dict[str, Any]:
    """A record of the log."""
    return {"id": "e1", "at": AT, "box": "box:1", "size": 7, **fields}


@pytest.mark.parametrize(
    ("fields", "start", "end", "basis"),
    [
        ({}, AT, UNTIL_CHANGED, "recorded"),
        ({"occurred": "2024-04-01"}, "2024-04-01", UNTIL_CHANGED, "occurred"),
        ({"from": "2024-01-01"}, "2024-01-01", UNTIL_CHANGED, "stated"),
        ({"from": "always", "to": "forever"}, ALWAYS, FOREVER, "stated"),
        ({"from": "2024-01-01", "to": None}, "2024-01-01", UNTIL_CHANGED, "stated"),
        ({"from": "2024-01-01", "to": "until_changed"}, "2024-01-01", UNTIL_CHANGED, "stated"),
        ({"from": "2024-01-01T12:00:00.1234567+02:00", "to": "2024-02-01"},
         "2024-01-01T10:00:00.123456Z", "2024-02-01", "stated"),
    ],
)  # fmt: skip
def test_periods(
    tmp_path: Path, fields: dict[str, Any], start: str | int, end: str | int, basis: str
) -> None:
    said = only(heard(tmp_path, log(SIZE), record(**fields)))
    assert said.valid_from == (parse(start) if isinstance(start, str) else start)
    assert said.valid_to == (parse(end) if isinstance(end, str) else end)
    assert said.valid_from_basis == basis


def test_half_a_character_refuses_its_record_and_no_other(tmp_path: Path) -> None:
    """JSON may escape one; the lake keeps UTF-8, and would refuse the whole batch."""
    head = EVENTS.replace("id: id,", "id: id, tags: tags, source: system,")
    declared = log(SIZE, head=head)
    wrong = record(id="e2", system="s", tags=["\ud800"])
    landed, refused, rest = told(tmp_path, declared, record(system="s"), wrong, record(id="e3"))
    assert isinstance(landed, Episode) and isinstance(rest, Episode)
    assert isinstance(refused, Refusal) and refused.field == "episode.tags"
    done = heard(tmp_path, declared, record(system="s"), record(id="e2", system="\udc00"))
    assert [one.statement.episode_id for one in done.extracted] == ["e1"]
    assert [one.field for one in done.refusals] == ["episode.source"]


def test_zone_inclusive_ends_and_folds(tmp_path: Path) -> None:
    more = "zone: Europe/Stockholm\ninclusive_ends: true\nfold: later\n"
    declared = log(SIZE, more=more)
    said = only(heard(tmp_path, declared, record(**{"from": "2024-03-31", "to": "2024-03-31"})))
    assert said.valid_from == parse("2024-03-30T23:00:00Z")
    assert said.valid_to == parse("2024-03-31T22:00:00Z")
    said = only(heard(tmp_path, declared, record(**{"from": "2024-10-27T02:30:00"})))
    assert said.valid_from == parse("2024-10-27T01:30:00Z")
    refused = heard(tmp_path, declared, record(**{"from": "2024-03-31T02:30:00"})).refusals
    assert "does not exist in Europe/Stockholm" in refused[0].reason


def test_a_fold_without_a_choice_is_refused(tmp_path: Path) -> None:
    declared = log(SIZE, more="zone: Europe/Stockholm\n")
    refused = heard(tmp_path, declared, record(**{"from": "2024-10-27T02:30:00"})).refusals
    assert "occurs twice" in refused[0].reason
    assert refused[0].field == "statements[0].valid_from"


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"from": "2024-02-01", "to": "2024-01-01"}, "valid_to", "empty period"),
        ({"from": "2024-02-01", "to": "2024-02-01"}, "valid_to", "empty period"),
        ({"to": "2024-01-01"}, "valid_to", "taken from its recorded instant"),
        ({"from": "soon"}, "valid_from", "'soon' is not an instant"),
        ({"from": 2024}, "valid_from", "2024 is not an instant"),
        ({"size": "big"}, "object", "not an integer"),
        ({"size": None}, "object", "is null"),
        ({"size": 1.5}, "object", "not an integer"),
        ({"box": " box:1"}, "subject", "not an entity's id"),
        ({"box": None}, "subject", "is null"),
    ],
)
def test_a_wrong_record_is_refused_by_line_and_field(
    tmp_path: Path, fields: dict[str, Any], field: str, reason: str
) -> None:
    wrong, right = record(id="e2", **fields), record(id="e3")
    found = heard(tmp_path, log(SIZE), record(), wrong, right)
    assert [one.statement.episode_id for one in found.extracted] == ["e1", "e3"]
    (refused,) = found.refusals
    assert (refused.stage, refused.location) == ("extract", "log.jsonl:2")
    assert refused.field == f"statements[0].{field}"
    assert reason in refused.reason
    assert json.loads(refused.raw) == wrong


def test_nothing_half_said(tmp_path: Path) -> None:
    rule = "{for_each: sizes, subject: $.box, predicate: size, object: '@', valid_from: $.from}"
    found = heard(tmp_path, log(rule), record(sizes=[1, "x"]))
    assert not found.extracted
    assert found.refusals[0].field == "statements[0][item 1].object"


def test_loops_conditions_templates_and_the_whole_record(tmp_path: Path) -> None:
    rule = (
        "{for_each: 'things[?kind == $.wanted]', when: count > `0`, subject: $.box,"
        " predicate: holds, object: {text: 'thing:{$.id}/{name}-{count}{{}}'}}"
    )
    things = [
        {"kind": "a", "name": "x", "count": 2},
        {"kind": "b", "name": "y", "count": 1},
        {"kind": "a", "name": "z", "count": 0},
    ]
    said = only(heard(tmp_path, log(rule), record(wanted="a", things=things)))
    assert (said.object, said.object_type) == ("thing:e1/x-2{}", "thing")
    assert not heard(tmp_path, log(rule), record(wanted="a")).extracted


def test_a_template_never_says_null(tmp_path: Path) -> None:
    rule = "{subject: {text: 'box:{nothing}'}, predicate: size, object: size}"
    refused = heard(tmp_path, log(rule), record()).refusals
    assert "{nothing} in 'box:{nothing}' is null" in refused[0].reason


ANY = (
    "{for_each: says, op: {path: op}, subject: subject, predicate: {path: predicate},"
    " object: object, valid_from: from, valid_to: to, target: target, trust: {path: trust}}"
)


def does(op: str, **fields: Any) -> dict[str, Any]:
    """One item of a record whose items carry their operation."""
    return {"op": op, **fields}


def test_every_operation_from_the_record(tmp_path: Path) -> None:
    box, thing = {"subject": "box:1", "predicate": "holds"}, "thing:1"
    said = [
        record(id="a", says=[does("assert", **box, object=thing), does("end", **box)]),
        record(id="b", says=[does("retract", **box), does("retract", **box, **{"from": AT})]),
        record(
            id="c",
            says=[does("withdraw", target="a#2"), does("mark", target="b", trust="verified")],
        ),
        record(id="d", says=[does("erase", target=thing)]),
    ]
    found = heard(tmp_path, log(ANY), *said)
    assert not found.refusals
    statements = [one.statement for one in found.extracted]
    assert [one.statement_id for one in statements] == [
        "a#1", "a#2", "b#1", "b#2", "c#1", "c#2", "d#1",
    ]  # fmt: skip
    assert [one.op for one in statements] == [
        Operation.ASSERT, Operation.END, Operation.RETRACT, Operation.RETRACT,
        Operation.WITHDRAW, Operation.MARK, Operation.ERASE,
    ]  # fmt: skip
    bounds = [(one.valid_from, one.valid_to) for one in statements[1:4]]
    assert bounds == [(parse(AT), UNTIL_CHANGED), (ALWAYS, FOREVER), (parse(AT), FOREVER)]
    assert (statements[4].target, statements[5].mark_trust) == ("a#2", 2)


@pytest.mark.parametrize(
    ("item", "field", "reason"),
    [
        (does("withdraw", target="nobody"), "target", "which is not known"),
        (does("withdraw", target="box:1"), "target", "which is not known"),
        (does("withdraw"), "target", "is null"),
        (does("mark", target="a"), "trust", "both absent"),
        (does("mark", target="a", trust="sure"), "trust", "no trust"),
        (does("forget", target="a"), "op", "Known: assert"),
        (does("withdraw", target="a", subject="box:1"), "subject", "means nothing to withdraw"),
        (does("end", subject="box:1", predicate="size", object=7), "object", "one value at a time"),
        (does("end", subject="box:1", predicate="hodls"), "predicate", "unknown predicate"),
        (does("end", subject="box:1", predicate="size", to=AT), "valid_to", "means nothing to end"),
    ],
)
def test_wrong_operations(tmp_path: Path, item: dict[str, Any], field: str, reason: str) -> None:
    first = record(id="a", says=[does("assert", subject="box:1", predicate="size", object=1)])
    found = heard(tmp_path, log(ANY), first, record(id="b", says=[item]))
    (refused,) = found.refusals
    assert refused.field == f"statements[0][item 0].{field}"
    assert reason in refused.reason


def test_a_target_in_the_ledger_is_known(tmp_path: Path) -> None:
    declared = log(ANY)
    episodes = told(tmp_path, declared, record(says=[does("withdraw", target="old#1")]))
    found = extract(declared, episodes, key=KEY, now=None, known=lambda name: name == "old#1")  # type: ignore[arg-type]
    assert only(found).target == "old#1"


def test_metadata_of_the_header(tmp_path: Path) -> None:
    unstated, stated = told(tmp_path, log(SIZE), record(), record(id="e2", trust="authoritative"))
    assert isinstance(unstated, Episode)
    assert isinstance(stated, Episode)
    assert (unstated.trust, unstated.classification) == (0, 3)
    assert (stated.trust, stated.seq, stated.location) == (3, 2, "log.jsonl:2")


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ("{broken", "", "not JSON"),
        ("[1]", "", "not a JSON object"),
        ('{"id": NaN}', "", "not a number of JSON"),
        ({"at": AT}, "episode.id", "not a name"),
        ({"id": "e" * 1_001, "at": AT}, "episode.id", "an id of 1,001 characters"),
        ({"id": "e", "at": None}, "episode.recorded_at", "not an instant"),
        ({"id": "e", "at": "yesterday"}, "episode.recorded_at", "not an instant"),
        ({"id": "e", "at": AT, "trust": "sure"}, "episode.trust", "Known: unverified"),
    ],
)
def test_a_broken_line_is_refused_and_the_rest_goes_on(
    tmp_path: Path, line: Any, field: str, reason: str
) -> None:
    first, refused, last = told(tmp_path, log(SIZE), record(), line, record(id="e3"))
    assert isinstance(first, Episode)
    assert isinstance(last, Episode)
    assert isinstance(refused, Refusal)
    assert (refused.stage, refused.location, refused.field) == ("land", "log.jsonl:2", field)
    assert reason in refused.reason


def test_bytes_that_are_no_text_and_a_file_that_breaks_off(tmp_path: Path) -> None:
    declared = log(SIZE)
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"
    plain.write_bytes(b'{"id": "\xff"}\n')
    lines = "".join(json.dumps(record(id=f"e{n}")) + "\n" for n in range(2000))
    packed.write_bytes(gzip.compress(lines.encode())[:-40])
    found = list(read(declared, [plain, packed]))
    assert "not UTF-8" in found[0].reason  # type: ignore[union-attr]
    assert "breaks off" in found[-1].reason  # type: ignore[union-attr]
    assert any(isinstance(one, Episode) for one in found)


COUNTED = """
    source: site
    tenant: demo
    feed: state
    files: [site.jsonl]
    episode: {record: id}
    predicates:
      size: {cardinality: one, object: integer, subject_type: box}
    statements:
      - {subject: id, predicate: size, object: size}
"""


def test_states_without_version_are_counted(tmp_path: Path) -> None:
    declared = declare(dedent(COUNTED), Path("site.yaml"))
    states = [{"id": "a", "size": size} for size in (1, 1, 2, 1)]
    found = told(tmp_path, declared, *states)
    assert [one.episode_id for one in found if isinstance(one, Episode)] == [
        "site/a/1", "site/a/2", "site/a/3",
    ]  # fmt: skip
    stored = Latest(3, json.dumps(states[0]).encode())
    again = list(read(declared, [tmp_path / "log.jsonl"], lambda record: stored))
    assert [one.episode_id for one in again if isinstance(one, Episode)] == [
        "site/a/4", "site/a/5",
    ]  # fmt: skip


def test_an_import_needs_its_instants_and_the_system_gives_its_own(tmp_path: Path) -> None:
    declared = declare(dedent(COUNTED), Path("site.yaml"))
    episodes = told(tmp_path, declared, {"id": "a", "size": 1})
    refused = extract(declared, episodes, key=KEY, now=None).refusals  # type: ignore[arg-type]
    assert "attests no recorded instant" in refused[0].reason
    said = only(extract(declared, episodes, key=KEY, now=1234))  # type: ignore[arg-type]
    assert (said.recorded_at, said.valid_from, said.valid_from_basis) == (1234, 1234, "recorded")


@pytest.mark.parametrize(
    ("kind", "stated", "text"),
    [
        ("string", "  as it is ", "  as it is "),
        ("integer", "+007", "7"),
        ("integer", -3, "-3"),
        ("decimal", "1.50", "1.50"),
        ("decimal", 12, "12"),
        ("boolean", True, "true"),
        ("boolean", "false", "false"),
        ("date", "2024-02-29", "2024-02-29"),
        ("instant", "2024-02-29T12:00:00+01:00", "2024-02-29T11:00:00Z"),
        ("entity", "box:1", "box:1"),
    ],
)
def test_canonical(kind: str, stated: object, text: str) -> None:
    assert canonical(kind, stated, Calendar()) == text


@pytest.mark.parametrize(
    ("kind", "stated"),
    [
        ("string", 1), ("integer", True), ("integer", "1.0"), ("decimal", "NaN"),
        ("decimal", "1,5"), ("boolean", 1), ("date", "2023-02-29"), ("date", "2023-2-9"),
        ("instant", "noon"), ("entity", ""), ("entity", "a\nb"), ("entity", 5),
    ],
)  # fmt: skip
def test_not_canonical(kind: str, stated: object) -> None:
    with pytest.raises(InputError):
        canonical(kind, stated, Calendar())


def test_decimals_keep_their_digits(tmp_path: Path) -> None:
    head = EVENTS.replace("object: integer", "object: decimal")
    line = '{"id": "e", "at": "2024-05-01", "box": "b", "size": 1.10}'
    said = only(heard(tmp_path, log(SIZE, head=head), line))
    assert said.object == "1.10"


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "a", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=8,
)
PATHS = st.sampled_from(
    [
        "a",
        "a.b",
        "a.b.c",
        "a == 'x'",
        "a.b != 'x'",
        "@",
        "@.a",
        "a || b",
        "a && b",
        "!a",
        "a == 'x' && !(b || c[0])",
        "(a || b).c",
        "a[0].b",
        "c[?a == 'x']",
    ]
)


@given(TREES, PATHS)
def test_the_direct_way_is_jmespath(tree: object, path: str) -> None:
    assert expressions.path(path)(tree, tree) == jmespath.search(path, tree)


@given(TREES, st.sampled_from(["a", "a.b", "a[0].b", "c[?a == 'x']", "a == 'x'"]))
def test_the_root_is_reachable_from_everywhere(tree: object, path: str) -> None:
    assert expressions.path(f"$.{path}")({"a": 1}, tree) == jmespath.search(path, tree)


def test_a_dollar_in_a_text_is_a_dollar() -> None:
    assert expressions.path("a == '$.b'")({"a": "$.b"}, {}) is True


@pytest.mark.parametrize(
    ("text", "is_one"), [("2024-02-29", True), ("2023-02-29", False), ("NA", False), (7, False)]
)
def test_is_date(text: object, is_one: bool) -> None:
    assert expressions.path("is_date(@)")(text, text) is is_one


@pytest.mark.parametrize(
    ("asked", "parts"),
    [
        ("split(@, ':')", ["a", "b@c"]),
        ("split(split(@, ':')[1], '@')[0]", "b"),
        ("split(@, '-')", ["a:b@c"]),
        ("split(@, '')", ["a", ":", "b", "@", "c"]),
    ],
)
def test_split(asked: str, parts: object) -> None:
    assert expressions.path(asked)("a:b@c", None) == parts


def test_only_a_text_is_split() -> None:
    with pytest.raises(InputError, match="fails on this record"):
        expressions.path("split(@, ':')")(7, None)


def test_ids_are_numbered_within_the_episode(tmp_path: Path) -> None:
    declared = log(SIZE)
    (episode,) = told(tmp_path, declared, record())
    assert isinstance(episode, Episode)
    found = extract(declared, [replace(episode, location="")], key=KEY, now=None)
    assert only(found).statement_id == "e1#1"


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("{subject: box, predicate: size, object: size.now}", {"box", "size"}),
        ("{for_each: 'a[?b == $.c].d', subject: $.e.f, predicate: size, object: g}", set("ace")),
        ("{subject: {text: '{h}:{i.j}'}, predicate: size, object: 'k || l[0]'}", set("hikl")),
        ("{when: \"m == 'x' && !n\", subject: box, predicate: size, object: 'to_number(o)'}",
         {"m", "n", "o", "box"}),
        ("{subject: box, predicate: size, object: 'length(@)'}", None),
        ("{for_each: values(a), subject: $, predicate: size, object: b}", None),
    ],
)  # fmt: skip
def test_the_footprint_of_rules(rule: str, fields: set[str] | None) -> None:
    assert footprint(log(rule)) == fields


def test_the_fingerprint_tells_what_equality_does_not() -> None:
    values: list[Any] = [1, True, 1.0, "1", Decimal("1.0"), Decimal("1.00"), None, [1], ["1"]]
    prints = {fingerprint({"a": value, "b": at}, ["a"]) for at, value in enumerate(values)}
    assert len(prints) == len(values)
    assert fingerprint({"a": 1, "b": 2}, ["a"]) == fingerprint({"a": 1}, ["a"])
    assert fingerprint({"a": 1}, ["a"], 2) != fingerprint({"a": 1}, ["a"], 3)
