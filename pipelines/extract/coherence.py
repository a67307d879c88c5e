"""Whether the parts of a declaration go together: same-shaped checks that yield problems.

Each looks at a declaration whose keys and words are right and says what cannot work, so that a
wrong mapping is refused before the first record is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from lakehouse.model.errors import BeliefgraphError
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import ENTITY, PAINTING, Operation
from pipelines.extract.declaration import Declaration, Feed, PredicateRule, StatementRule
from pipelines.extract.expressions import Expression

TYPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
"""What an entity type may be called: it becomes a label."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that cannot work: the key's path, what is wrong, what to do."""

    key: str
    what: str
    remedy: str


Check = Callable[[Declaration], Iterator[Problem]]
RuleCheck = Callable[[Declaration, StatementRule], Iterator[Problem]]


def problems(declared: Declaration) -> Iterator[Problem]:
    """Everything that does not go together, in the order of the document."""
    yield from chain.from_iterable(check(declared) for check in _CHECKS)
    for rule in declared.statements:
        yield from chain.from_iterable(check(declared, rule) for check in _RULE_CHECKS)


def _files(declared: Declaration) -> Iterator[Problem]:
    if not declared.files:
        yield Problem("files", "names no file", "List the JSONL files, or a glob for them.")
    if not declared.statements:
        yield Problem("statements", "says nothing", "Map the records to statements.")


def _feed(declared: Declaration) -> Iterator[Problem]:
    fields, state = declared.episode, declared.feed is Feed.STATE
    if state and fields.record is None:
        yield Problem(
            "episode.record",
            "is missing; a state feed compares states of a record",
            "Say which field names the record.",
        )
    if not state and fields.id is None:
        yield Problem("episode.id", "is missing", "Say which field is the id of an event.")
    if state and fields.source is not None:
        yield Problem(
            "episode.source",
            "is for events feeds; one source states a record",
            "Declare a source for each system.",
        )
    for key, given in (("deletes", fields.deletes), ("unreadable", fields.unreadable)):
        if not state and given is not None:
            yield Problem(f"episode.{key}", "is for state feeds", "Say it by an operation.")
    if not state and declared.snapshot:
        yield Problem("snapshot", "is for state feeds", "Set feed: state.")
    dated = declared.episode.recorded_at or declared.episode.occurred_at
    if declared.snapshot and dated is None:
        yield Problem(
            "snapshot",
            "cannot tell an older file from a newer one",
            "Declare episode.recorded_at or episode.occurred_at, the instant of the snapshot.",
        )


def _payload(declared: Declaration) -> Iterator[Problem]:
    if declared.payload.subjects and not declared.payload.encrypted:
        yield Problem(
            "payload.subjects",
            "are named, but the payload is not encrypted: nobody in it could be forgotten",
            "Remove `encrypted: false`, or the subjects.",
        )


def _listeners(declared: Declaration) -> Iterator[Problem]:
    try:
        Listeners(declared.listeners)
    except BeliefgraphError as wrong:
        yield Problem("listeners", wrong.message, wrong.remedy)


def _operation(declared: Declaration, rule: StatementRule) -> Iterator[Problem]:
    if declared.feed is Feed.STATE and rule.op.constant != Operation.ASSERT.value:
        yield Problem(
            f"{rule.place}.op",
            "is for events feeds; what a state no longer says follows",
            "Leave `op` out and declare on_gone and on_delete.",
        )
    if not rule.op.is_constant:
        return
    op = Operation(str(rule.op.constant))
    needed, allowed = NEEDED[op], NEEDED[op] + ALLOWED[op]
    for key in _SPECIFIC:
        given = getattr(rule, key)
        if key in needed and given is None:
            yield Problem(f"{rule.place}.{key}", f"is missing; {op} needs it", "Map it.")
        if key not in allowed and given is not None:
            yield Problem(f"{rule.place}.{key}", f"means nothing to {op}", "Remove it.")
    if op is Operation.MARK and rule.trust is None and rule.classification is None:
        yield Problem(rule.place, "a mark without trust and classification", "Map one of them.")


NEEDED: Final[dict[Operation, tuple[str, ...]]] = {
    Operation.ASSERT: ("subject", "predicate", "object"),
    Operation.END: ("subject", "predicate"),
    Operation.RETRACT: ("subject", "predicate"),
    Operation.WITHDRAW: ("target",),
    Operation.MARK: ("target",),
    Operation.ERASE: ("target",),
}
_TYPES: Final = ("subject_type", "object_kind", "object_type")
ALLOWED: Final[dict[Operation, tuple[str, ...]]] = {
    Operation.ASSERT: (*_TYPES, "valid_from", "valid_to"),
    Operation.END: (*_TYPES, "object", "valid_from"),
    Operation.RETRACT: (*_TYPES, "object", "valid_from", "valid_to"),
    Operation.WITHDRAW: (),
    Operation.MARK: ("trust", "classification"),
    Operation.ERASE: (),
}
_SPECIFIC: Final = (
    "subject",
    "predicate",
    "object",
    *_TYPES,
    "valid_from",
    "valid_to",
    "target",
    "trust",
    "classification",
)


def _predicate(declared: Declaration, rule: StatementRule) -> Iterator[Problem]:
    if rule.predicate is None or not rule.predicate.is_constant:
        return
    try:
        found = declared.rule_of(str(rule.predicate.constant), _kind(rule.object_kind))
    except BeliefgraphError as wrong:
        yield Problem(f"{rule.place}.predicate", wrong.message, wrong.remedy)
        return
    yield from _types(rule, found)
    single = rule.op.constant in (Operation.END.value, Operation.RETRACT.value)
    if single and not found.many and rule.object is not None:
        yield Problem(
            f"{rule.place}.object",
            f"is refused: {found.predicate.name!r} has one value at a time",
            "Remove it; the predicate's value is ended or retracted.",
        )


def _types(rule: StatementRule, found: PredicateRule) -> Iterator[Problem]:
    name, kind = found.predicate.name, found.predicate.object_kind
    if rule.object_kind is not None and _kind(rule.object_kind, kind) != kind:
        yield Problem(
            f"{rule.place}.object_kind", f"differs from {name!r}, declared as {kind}", "Remove it."
        )
    for key, declared, needed in (
        ("subject_type", found.subject_type, True),
        ("object_type", found.object_type, kind == ENTITY),
    ):
        given: Expression | None = getattr(rule, key)
        if needed and not declared and given is None and rule.op.constant in _PAINTS:
            yield Problem(
                f"{rule.place}.{key}",
                f"is stated neither here nor with {name!r}",
                f"Give predicate {name!r} a {key}.",
            )
        if given is not None and given.is_constant and not TYPE.fullmatch(str(given.constant)):
            yield Problem(f"{rule.place}.{key}", f"is {given.constant!r}", "Name it by letters.")


_PAINTS: Final = tuple(operation.value for operation in PAINTING)


def _kind(given: Expression | None, otherwise: str = "string") -> str:
    return str(given.constant) if given is not None and given.is_constant else otherwise


_CHECKS: Final[tuple[Check, ...]] = (_files, _feed, _payload, _listeners)
_RULE_CHECKS: Final[tuple[RuleCheck, ...]] = (_operation, _predicate)
