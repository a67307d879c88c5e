"""A source's YAML is read strictly: what is wrong is named by file and key, before any record."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest

from lakehouse.model.errors import BeliefgraphError, ConfigurationError, UnavailableError
from lakehouse.model.predicates import Cardinality
from lakehouse.model.retention import Retention
from pipelines.extract.declaration import Feed, OnDelete, OnGone
from pipelines.extract.loading import declare, load
from pipelines.extract.reading import files_of

SOURCES = Path(__file__).parents[2] / "pipelines" / "defs" / "sources"
HERE = Path("sources/site.yaml")
STATE = """
    source: site
    tenant: demo
    feed: state
    files: [site.jsonl]
    episode: {record: id, recorded_at: at}
    predicates:
      name: {cardinality: one, object: string, subject_type: site}
    statements:
      - {subject: id, predicate: name, object: name}
"""


def changed(old: str, new: str) -> str:
    """The plain state feed with one change."""
    plain = dedent(STATE)
    assert old in plain
    return plain.replace(old, new)


def test_a_plain_declaration() -> None:
    declared = declare(dedent(STATE), HERE)
    assert (declared.name, declared.tenant, declared.feed) == ("site", "demo", Feed.STATE)
    assert declared.attested
    assert declared.on_delete is OnDelete.KEEP
    assert declared.predicates["name"].on_gone is OnGone.WITHDRAW
    assert declared.schema.of("name").cardinality is Cardinality.ONE
    assert dict(declared.body)["source"] == "site"


@pytest.mark.parametrize(
    ("old", "new", "key", "hint"),
    [
        ("tenant: demo", "tenent: demo", "tenant", "mean it by 'tenent'"),
        ("feed: state", "feed: states", "feed", "Did you mean 'state'"),
        ("files: [site.jsonl]", "files: []", "files", "List the JSONL files"),
        ("record: id", "recrod: id, record: id", "episode.recrod", "Did you mean 'record'"),
        ("cardinality: one", "cardinality: two", "predicates.name.cardinality", "Known: one, many"),
        ("object: string", "object: text", "predicates.name.object", "Known: boolean"),
        ("object: name}", "object: name, valid_form: x}", "statements[0].valid_form",
         "Did you mean 'valid_from'"),
        ("object: name}", "object: name, when: 'a =='}", "statements[0].when", "JMESPath"),
        ("object: name}", "object: {text: '{a'}}", "statements[0].object.text", "Correct"),
        ("object: name}", "object: {value: x, path: y}}", "statements[0].object", "another"),
        ("object: name}", "object: 7}", "statements[0].object", "{value: 7}"),
        ("object: name}", "object: name, valid_to: forever}", "statements[0].valid_to",
         "{value: forever}"),
        ("object: name}", "object: name, op: withdraw}", "statements[0].op", "on_gone"),
        ("object: name}", "object: name, target: id}", "statements[0].target", "Remove it"),
        ("object: name}", "object: name, object_kind: date}", "statements[0].object_kind",
         "Remove it"),
        (", object: name}", "}", "statements[0].object", "Map it"),
        ("predicate: name", "predicate: nmae", "statements[0].predicate", "accept_unknown"),
        (", subject_type: site", "", "statements[0].subject_type", "subject_type"),
        ("subject_type: site", "subject_type: a b", "predicates.name.subject_type", "letters"),
        ("record: id, ", "", "episode.record", "names the record"),
        ("feed: state", "feed: events", "episode.id", "id of an event"),
        ("files:", "zone: Europe/Atlantis\nfiles:", "zone", "IANA"),
        ("files:", "fold: first\nfiles:", "fold", "Known: earlier, later"),
        ("files:", "max_drop_share: 20\nfiles:", "max_drop_share", "0 to 1"),
        ("files:", "snapshot: yes\nfiles:", "snapshot", "true or false"),
        ("files:", "retention: {keep: 90 days, floor: 1 year}\nfiles:", "retention.keep",
         "as the floor says"),
        ("files:", "retention: {keep: 90 days}\nfiles:", "retention.floor", "floor: 7 years"),
        ("files:", "retention: {keep: 0 days}\nfiles:", "retention.keep", "90 days or 7 years"),
        ("files:", "retention: {flor: 1 year}\nfiles:", "retention.flor", "'floor'"),
        ("files:", "listeners: [{name: a, min_trust: high}]\nfiles:", "listeners[0].min_trust",
         "unverified"),
        ("files:", "listeners: [{name: a}, {name: a}]\nfiles:", "listeners", "its own name"),
        ("recorded_at: at", "recorded_at: at, trust: sure", "episode.trust", "Known:"),
        ("recorded_at: at", "recorded_at: at, source: x", "episode.source", "each system"),
        ("tenant: demo", "tenant: a/b", "tenant", "letters"),
        ("files:", "payload: {subject: id}\nfiles:", "payload.subject", "Did you mean 'subjects'"),
        ("files:", "payload: {encrypted: no}\nfiles:", "payload.encrypted", "true or false"),
        ("files:", "payload: {subjects: [id, 'a ==']}\nfiles:", "payload.subjects[1]", "JMESPath"),
        ("files:", "payload: {subjects: [id, null]}\nfiles:", "payload.subjects[1]", "remove"),
        ("files:", "payload: {subjects: [7]}\nfiles:", "payload.subjects[0]", "{value: 7}"),
        ("files:", "payload: {encrypted: false, subjects: id}\nfiles:", "payload.subjects",
         "Remove `encrypted: false`"),
        ("type: site}", "type: site, by_type: {shop: {on_gnoe: x}}}",
         "predicates.name.by_type.shop.on_gnoe", "Did you mean 'on_gone'"),
        ("type: site}", "type: site, by_type: {a b: {}}}", "predicates.name.by_type.a b",
         "letters"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named(old: str, new: str, key: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as wrong:
        declare(changed(old, new), HERE)
    assert wrong.value.facts["key"] == key
    assert wrong.value.message.startswith(f"{HERE}: {key}: ")
    assert hint in wrong.value.remedy


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: b: c", "line 1"),
        ("source: a\nsource: b", "'source' is said twice"),
        ("- a", "no mapping"),
        ("", "no mapping"),
    ],
)
def test_broken_yaml(text: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        declare(text, HERE)


def test_yaml_traps_are_texts() -> None:
    text = changed("object: name}", "object: {value: no}, valid_from: {value: 2020-01-01}}")
    rule = declare(text, HERE).statements[0]
    assert rule.object is not None
    assert rule.valid_from is not None
    assert (rule.object.constant, rule.valid_from.constant) == ("no", "2020-01-01")


def test_rows_are_kept_for_ever_or_as_long_as_is_stated() -> None:
    assert declare(STATE, HERE).retention == Retention(None, 0)
    stated = changed("files:", "retention: {keep: 10 years, floor: 90 days}\nfiles:")
    declared = declare(stated, HERE)
    assert declared.retention == Retention(3660, 90)
    assert declared.body["retention"] == {"keep": "10 years", "floor": "90 days"}


def test_unknown_predicates_may_be_accepted() -> None:
    text = changed("predicate: name", "predicate: other, subject_type: site")
    declared = declare(text + "accept_unknown_predicates: true\n", HERE)
    assert declared.rule_of("other", "decimal").predicate.object_kind == "decimal"


def test_a_component_carries_the_declaration_as_its_attributes() -> None:
    wrapped = "type: pipelines.component.EpisodeSource\nattributes:" + indent(STATE, "  ")
    assert declare(wrapped, HERE).name == "site"
    with pytest.raises(ConfigurationError, match="atributes: is not a key"):
        declare(wrapped + "\natributes: {}\n", HERE)
    with pytest.raises(ConfigurationError, match=": tenant: is missing"):
        declare(wrapped.replace("tenant", "tenent"), HERE)


def test_on_delete_is_inherited_by_predicates() -> None:
    declared = declare(dedent(STATE) + "on_delete: end\n", HERE)
    assert declared.predicates["name"].on_delete is OnDelete.END


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot be read"):
        load(tmp_path / "absent.yaml")


def test_files_expand_their_variables(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").touch()
    (tmp_path / "a.jsonl").touch()
    declared = declare(changed("[site.jsonl]", '["${DATA}/*.jsonl"]'), HERE)
    assert [one.name for one in files_of(declared, {"DATA": str(tmp_path)})] == [
        "a.jsonl", "b.jsonl",
    ]  # fmt: skip
    with pytest.raises(BeliefgraphError, match="DATA"):
        files_of(declared, {})
    with pytest.raises(UnavailableError, match="finds no file"):
        files_of(declared, {"DATA": str(tmp_path / "none")})


def test_relative_files_start_at_the_yaml() -> None:
    assert files_of(load(SOURCES / "plant" / "defs.yaml"), {}) == [
        SOURCES / "plant" / "plant.jsonl"
    ]


@pytest.mark.parametrize("path", sorted(SOURCES.glob("*/defs.yaml")), ids=lambda path: path.stem)
def test_every_shipped_source_is_right(path: Path) -> None:
    assert load(path).statements


def test_the_examples_of_the_readme() -> None:
    readme = (SOURCES.parents[1] / "extract" / "README.md").read_text(encoding="utf-8")
    examples = [part.split("```")[0] for part in readme.split("```yaml\n")[1:]]
    assert [declare(one, HERE).name for one in examples] == ["products", "log"]


def test_loading_is_pure() -> None:
    """A declaration whose files are absent loads all the same."""
    assert load(SOURCES / "ecdc" / "defs.yaml").files == ("${BELIEFGRAPH_ECDC}/episodes.jsonl.gz",)
