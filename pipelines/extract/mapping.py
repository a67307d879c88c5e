"""One record becomes what it says, thing by thing.

`said` reads a record by its declaration, as stated: nothing missing is filled in yet, so that
states can be compared. The first wrong thing refuses the whole record: nothing half said.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from lakehouse.model.episodes import Episode
from lakehouse.model.errors import InputError
from lakehouse.model.statements import ENTITY, PAINTING, Operation
from pipelines.extract.canonical import canonical
from pipelines.extract.coherence import ALLOWED, NEEDED, TYPE
from pipelines.extract.declaration import Declaration, PredicateRule, StatementRule
from pipelines.extract.expressions import Expression
from pipelines.extract.reading import named
from pipelines.extract.records import is_text, level, record_of


class Kind(StrEnum):
    """What a record is to its feed."""

    SAID = "said"
    DELETED = "deleted"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One thing a record says, canonical but before defaults: None is what was not stated.

    `place` is where the declaration maps it (with the item's number), for messages.
    """

    place: str
    op: Operation
    rule: PredicateRule | None = None
    subject: str = ""
    subject_type: str = ""
    predicate: str = ""
    object: str | None = None
    object_kind: str = ENTITY
    object_type: str = ""
    valid_from: int | None = None
    valid_to: int | None = None
    target: str | None = None
    trust: int | None = None
    classification: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """What one record says; `source` is the system that speaks."""

    kind: Kind
    source: str
    things: tuple[Stated, ...] = ()


def said(declared: Declaration, episode: Episode) -> Said:
    """Read the episode's record; InputError with `field` at the first wrong thing in it."""
    record = record_of(episode.payload)
    kind = kind_of(declared, record)
    if kind is not Kind.SAID:
        return Said(kind, declared.name)
    return Said(kind, _speaker(declared, record), things(declared, record))


def kind_of(declared: Declaration, record: dict[str, Any]) -> Kind:
    """What the record is to its feed; InputError where an expression fails on it."""
    fields = declared.episode
    if fields.unreadable is not None and fields.unreadable.holds(record, record):
        return Kind.UNREADABLE
    if fields.deletes is not None and fields.deletes.holds(record, record):
        return Kind.DELETED
    return Kind.SAID


def things(declared: Declaration, record: dict[str, Any]) -> tuple[Stated, ...]:
    """Everything the record says, rule by rule; InputError with `field` at the first error."""
    lists: dict[tuple[str, bool], Any] = {}
    return tuple(
        _stated(declared, rule, place, node, record)
        for rule in declared.statements
        for place, node in _nodes(rule, record, lists)
    )


def _speaker(declared: Declaration, record: dict[str, Any]) -> str:
    speaker = declared.episode.source
    found = declared.name if speaker is None else speaker(record, record)
    if is_text(found):
        return found
    raise InputError(
        f"episode.source is {found!r}, not a name", remedy="Name it.", field="episode.source"
    )


def _nodes(
    rule: StatementRule, record: dict[str, Any], lists: dict[tuple[str, bool], Any]
) -> Iterator[tuple[str, Any]]:
    """Where the rule applies: the record, or each item of its list, under its condition.

    `lists` remembers what each `for_each` found in this record: several rules may share one.
    """
    if rule.for_each is None:
        if rule.when is None or _ask(rule, "when", rule.when.holds, record, record):
            yield rule.place, record
        return
    written = (rule.for_each.source, rule.for_each.is_constant)
    if written not in lists:
        lists[written] = _ask(rule, "for_each", rule.for_each, record, record)
    items = lists[written]
    if items is None:
        return
    if not isinstance(items, list):
        raise InputError(
            f"{rule.place}.for_each: {rule.for_each.source} is no list",
            remedy="Loop over a list (`values(x)` gives the values of an object).",
            field=f"{rule.place}.for_each",
        )
    for number, item in enumerate(items):
        if rule.when is None or _ask(rule, "when", rule.when.holds, item, record):
            yield f"{rule.place}[item {number}]", item


def _ask(rule: StatementRule, key: str, asked: Any, node: Any, record: dict[str, Any]) -> Any:
    try:
        return asked(node, record)
    except InputError as wrong:
        raise named(f"{rule.place}.{key}", wrong) from wrong


class _Fields:
    """The fields of one rule asked of one node; whatever is wrong names the field."""

    __slots__ = ("_node", "_place", "_record", "_rule")

    def __init__(self, rule: StatementRule, place: str, node: Any, record: dict[str, Any]) -> None:
        self._rule, self._place, self._node, self._record = rule, place, node, record

    def get(self, key: str) -> Any:
        """What the field finds; None where it is not declared or finds nothing."""
        expression: Expression | None = getattr(self._rule, key)
        if expression is None:
            return None
        if expression.is_constant:
            return expression.constant
        try:
            return expression(self._node, self._record)
        except InputError as wrong:
            raise named(f"{self._place}.{key}", wrong) from wrong

    def wrong(self, key: str, problem: str, remedy: str) -> InputError:
        """The error about that field."""
        return InputError(f"{self._place}.{key} {problem}", remedy=remedy, field=self.at(key))

    def at(self, key: str) -> str:
        """The field's path in the declaration, with the item's number."""
        return f"{self._place}.{key}"

    def operation(self) -> Operation:
        """The operation, in any case of letters."""
        found = self.get("op")
        try:
            return Operation(str(found).lower())
        except ValueError:
            raise self.wrong("op", f"is {found!r}", f"Known: {', '.join(Operation)}.") from None


def _stated(
    declared: Declaration, rule: StatementRule, place: str, node: Any, record: dict[str, Any]
) -> Stated:
    fields = _Fields(rule, place, node, record)
    op = fields.operation()
    if not rule.op.is_constant:
        _check_fields(fields, op)
    if op not in PAINTING:
        return _undoing(declared, fields, place, op)
    return _painting(declared, rule, fields, place, op)


def _check_fields(fields: _Fields, op: Operation) -> None:
    """What `coherence` checks at loading where the operation is a constant."""
    allowed = NEEDED[op] + ALLOWED[op]
    for key in _CHECKED:
        if key not in allowed and fields.get(key) is not None:
            raise fields.wrong(key, f"means nothing to {op}", "Remove it, or correct `op`.")


_CHECKED: Final = (
    "subject",
    "predicate",
    "object",
    "valid_from",
    "valid_to",
    "target",
    "trust",
    "classification",
)


def _undoing(declared: Declaration, fields: _Fields, place: str, op: Operation) -> Stated:
    trust, classification = fields.get("trust"), fields.get("classification")
    if op is Operation.MARK and trust is None and classification is None:
        raise fields.wrong("trust", "and classification are both absent", "A mark needs one.")
    return Stated(
        place=place,
        op=op,
        target=_canonical(declared, fields, "target", ENTITY),
        trust=_level(fields, "trust", trust),
        classification=_level(fields, "classification", classification),
    )


def _level(fields: _Fields, key: str, found: object) -> int | None:
    try:
        return None if found is None else level(key, found)
    except InputError as wrong:
        raise named(fields.at(key), wrong) from wrong


def _painting(
    declared: Declaration, rule: StatementRule, fields: _Fields, place: str, op: Operation
) -> Stated:
    name = fields.get("predicate")
    if not isinstance(name, str) or not name or not name.isprintable() or " " in name:
        raise fields.wrong("predicate", f"is {name!r}, not a name", "Name it without blanks.")
    kind = fields.get("object_kind")
    try:
        known = declared.rule_of(name, kind or "string")
    except InputError as wrong:
        raise named(fields.at("predicate"), wrong) from wrong
    kind = known.predicate.object_kind
    reaches = op is not Operation.ASSERT and fields.get("object") is None
    if op is not Operation.ASSERT and not known.many and not reaches:
        raise fields.wrong("object", f"is refused: {name!r} has one value at a time", "Remove it.")
    return Stated(
        place=place,
        op=op,
        rule=known,
        subject=_canonical(declared, fields, "subject", ENTITY),
        subject_type=_type(fields, "subject_type", known.subject_type),
        predicate=name,
        object=None if reaches else _canonical(declared, fields, "object", kind),
        object_kind=kind,
        object_type=_type(fields, "object_type", known.object_type) if kind == ENTITY else "",
        valid_from=_bound(declared, rule, fields, "valid_from"),
        valid_to=_bound(declared, rule, fields, "valid_to"),
    )


def _canonical(declared: Declaration, fields: _Fields, key: str, kind: str) -> str:
    found = fields.get(key)
    if found is None:
        raise fields.wrong(key, "is null", "Map it, or say by `when` where nothing is stated.")
    try:
        return canonical(kind, found, declared.calendar)
    except InputError as wrong:
        raise named(fields.at(key), wrong) from wrong


def _type(fields: _Fields, key: str, declared: str) -> str:
    found = fields.get(key)
    if found is None and declared:
        return declared
    if isinstance(found, str) and TYPE.fullmatch(found):
        return found
    raise fields.wrong(key, f"is {found!r}, not a type", "Use letters, digits and underscores.")


def _bound(declared: Declaration, rule: StatementRule, fields: _Fields, key: str) -> int | None:
    found = fields.get(key)
    if found is None:
        return None
    try:
        if key == "valid_from":
            return declared.calendar.start(found)
        return declared.calendar.end(found, rule.inclusive_ends)
    except InputError as wrong:
        raise named(fields.at(key), wrong) from wrong
