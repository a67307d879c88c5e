"""A source's YAML becomes its declaration, or one error that names the file and the key.

How fields are written: a plain text is a path (JMESPath) where it asks the record for data, and
a word where it names something of the vocabulary (operation, predicate, kind, type, trust,
classification). `{path: …}`, `{value: …}` and `{text: …}` say either outright.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final
from zoneinfo import ZoneInfo

from lakehouse.model.errors import ConfigurationError, UnavailableError
from lakehouse.model.listeners import Listener
from lakehouse.model.predicates import OBJECT_KINDS, Cardinality, Predicate
from lakehouse.model.statements import CLASSIFICATION, ENTITY, TRUST, Operation
from pipelines.extract import expressions
from pipelines.extract.checking import Section, document
from pipelines.extract.coherence import TYPE, problems
from pipelines.extract.declaration import (
    Declaration,
    EpisodeFields,
    Feed,
    OnDelete,
    OnGone,
    OnReturn,
    PayloadRule,
    PredicateRule,
    StatementRule,
)
from pipelines.extract.fields import bound, data, several, word
from pipelines.extract.periods import FOLDS, OPEN_ENDS, OPEN_STARTS, Calendar
from pipelines.extract.retention import retention

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
OPERATIONS: Final = tuple(operation.value for operation in Operation)


def load(path: Path) -> Declaration:
    """Read and check one YAML file; ConfigurationError names the file and the key."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as wrong:
        raise UnavailableError(
            f"{path} cannot be read: {wrong.strerror}",
            remedy="Name the YAML of a source.",
            file=path,
        ) from wrong
    return declare(text, path)


def declare(text: str, path: Path) -> Declaration:
    """The declaration that a YAML text makes; `path` is where it stands (never opened)."""
    top = _unwrapped(document(text, path))
    feed = Feed(top.word("feed", [kind.value for kind in Feed]))
    on_delete = OnDelete(top.word("on_delete", [one.value for one in OnDelete], "keep"))
    predicates = {
        name: _predicate(name, section, on_delete)
        for name, section in top.named("predicates").items()
    }
    inclusive = top.boolean("inclusive_ends", False)
    declared = Declaration(
        name=_name(top, "source"),
        tenant=_name(top, "tenant"),
        feed=feed,
        path=path,
        files=top.texts("files"),
        calendar=_calendar(top),
        episode=_episode(top.section("episode")),
        payload=_payload(top.section("payload")),
        statements=tuple(_statement(one, inclusive) for one in top.sections("statements")),
        predicates=MappingProxyType(predicates),
        accept_unknown=top.boolean("accept_unknown_predicates", False),
        on_delete=on_delete,
        snapshot=top.boolean("snapshot", False),
        max_drop_share=_share(top),
        retention=retention(top),
        listeners=tuple(_listener(one) for one in top.sections("listeners")),
        body=MappingProxyType(top.values),
    )
    top.done()
    for problem in problems(declared):
        raise ConfigurationError(
            f"{path}: {problem.key}: {problem.what}",
            remedy=problem.remedy,
            file=path,
            key=problem.key,
        )
    return declared


def _unwrapped(document: Section) -> Section:
    """The declaration itself, which a component's YAML carries as its `attributes`."""
    if "attributes" not in document.values:
        return document
    document.text("type")
    inner = document.section("attributes")
    document.done()
    return Section(document.path, "", inner.values)


def _name(section: Section, key: str) -> str:
    found = section.text(key)
    if not _NAME.fullmatch(found):
        raise section.wrong(
            key, f"is {found!r}", "Use letters, digits, dots, dashes and underscores."
        )
    return found


def _calendar(top: Section) -> Calendar:
    zone, fold = top.text("zone", "UTC"), top.take("fold")
    if fold is not None:
        fold = top.word("fold", FOLDS)
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError) as wrong:
        remedy = "Give an IANA name: Europe/Berlin."
        raise top.wrong("zone", f"is {zone!r}, no zone known here", remedy) from wrong
    return Calendar(zone, fold)


def _share(top: Section) -> float:
    found = top.take("max_drop_share", 0.1)
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0 <= found <= 1:
        raise top.wrong("max_drop_share", f"is {found!r}", "Give a share from 0 to 1, such as 0.1.")
    return float(found)


def _listener(section: Section) -> Listener:
    hidden = section.take("max_classification")
    rule = Listener(
        name=section.text("name"),
        min_trust=TRUST[section.word("min_trust", TRUST, next(iter(TRUST)))],
        sources=frozenset(section.texts("sources", ())),
        max_classification=None
        if hidden is None
        else CLASSIFICATION[section.word("max_classification", CLASSIFICATION)],
        tags=frozenset(section.texts("tags", ())),
    )
    section.done()
    return rule


def _predicate(name: str, section: Section, on_delete: OnDelete) -> PredicateRule:
    kind = section.word("object", sorted(OBJECT_KINDS))
    rule = PredicateRule(
        predicate=Predicate(name, Cardinality(section.word("cardinality", Cardinality)), kind),
        subject_type=_type(section, "subject_type"),
        object_type=_type(section, "object_type"),
        on_gone=OnGone(section.word("on_gone", OnGone, "withdraw")),
        on_delete=OnDelete(section.word("on_delete", OnDelete, on_delete)),
        on_return=OnReturn(section.word("on_return", OnReturn, "take_back")),
    )
    if rule.object_type and kind != ENTITY:
        raise section.wrong("object_type", f"is given for a {kind}", "Only an entity has a type.")
    named = section.named("by_type")
    section.done()
    others = {subject_type: _other(rule, subject_type, one) for subject_type, one in named.items()}
    return replace(rule, by_type=MappingProxyType(others))


def _other(rule: PredicateRule, subject_type: str, section: Section) -> PredicateRule:
    """The rule for subjects of another type; what is not said is as for the predicate."""
    if not TYPE.fullmatch(subject_type):
        raise section.wrong("", "is no type", "Name a type by letters, digits and underscores.")
    other = replace(
        rule,
        subject_type=subject_type,
        on_gone=OnGone(section.word("on_gone", OnGone, rule.on_gone)),
        on_delete=OnDelete(section.word("on_delete", OnDelete, rule.on_delete)),
        on_return=OnReturn(section.word("on_return", OnReturn, rule.on_return)),
    )
    section.done()
    return other


def _type(section: Section, key: str) -> str:
    found = section.take(key, "")
    if found == "" or (isinstance(found, str) and TYPE.fullmatch(found)):
        return str(found)
    raise section.wrong(key, f"is {found!r}", "Name a type by letters, digits and underscores.")


def _episode(section: Section) -> EpisodeFields:
    fields = EpisodeFields(
        **{key: data(section, key) for key in _EPISODE_DATA},
        trust=word(section, "trust", TRUST),
        classification=word(section, "classification", CLASSIFICATION),
    )
    section.done()
    return fields


def _payload(section: Section) -> PayloadRule:
    rule = PayloadRule(
        encrypted=section.boolean("encrypted", True), subjects=several(section, "subjects")
    )
    section.done()
    return rule


_EPISODE_DATA: Final = (
    "id",
    "record",
    "version",
    "recorded_at",
    "occurred_at",
    "deletes",
    "unreadable",
    "who",
    "tags",
    "source",
)


def _statement(section: Section, inclusive: bool) -> StatementRule:
    op = word(section, "op", OPERATIONS) or expressions.value(Operation.ASSERT.value)
    rule = StatementRule(
        place=section.place,
        op=op,
        for_each=data(section, "for_each"),
        when=data(section, "when"),
        subject=data(section, "subject"),
        subject_type=word(section, "subject_type"),
        predicate=word(section, "predicate"),
        object=data(section, "object"),
        object_kind=word(section, "object_kind", OBJECT_KINDS),
        object_type=word(section, "object_type"),
        valid_from=bound(section, "valid_from", OPEN_STARTS),
        valid_to=bound(section, "valid_to", OPEN_ENDS),
        inclusive_ends=section.boolean("inclusive_ends", inclusive),
        target=data(section, "target"),
        trust=word(section, "trust", TRUST),
        classification=word(section, "classification", CLASSIFICATION),
    )
    section.done()
    return rule
