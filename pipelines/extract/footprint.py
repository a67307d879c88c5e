"""Which fields of a record its statements depend on, found by looking at the expressions.

A state whose fields of the footprint are those of the state before says the same things, so it
need not be mapped again. Where an expression takes in the whole record the footprint is unknown
(None) and nothing is spared.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

from pipelines.extract.declaration import Declaration, StatementRule
from pipelines.extract.expressions import ROOT, Expression

Footprint = frozenset[str] | None

_NOTHING: Final[frozenset[str]] = frozenset()
_AT_CURRENT: Final = frozenset(
    {
        "comparator", "or_expression", "and_expression", "not_expression", "function_expression",
        "multi_select_list", "multi_select_dict", "key_val_pair",
    }
)  # fmt: skip
"""Nodes that ask every child of the current node."""
_ONWARD: Final = frozenset(
    {
        "subexpression", "pipe", "index_expression", "projection", "value_projection", "flatten",
        "filter_projection",
    }
)  # fmt: skip
"""Nodes that ask the first child of the current node, the others of what it found."""


def footprint(declared: Declaration) -> Footprint:
    """The top-level fields that the statements read; None where they may read any."""
    return _union(
        _reads(tree, at_root)
        for rule in declared.statements
        for expression, at_root in _expressions(rule)
        for tree in expression.trees
    )


def fingerprint(record: dict[str, Any], fields: Iterable[str], *carried: object) -> bytes:
    """16 bytes that differ where any of these fields, or what is `carried`, differs."""
    # The text of a value tells 1 from true and 1.10 from 1.1, which equality does not.
    told = repr(([record.get(name) for name in fields], carried))
    return blake2b(told.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _expressions(rule: StatementRule) -> list[tuple[Expression, bool]]:
    """The rule's expressions, and whether each is asked of the record itself."""
    whole = rule.for_each is None
    given = (
        rule.op, rule.when, rule.subject, rule.subject_type, rule.predicate, rule.object,
        rule.object_kind, rule.object_type, rule.valid_from, rule.valid_to,
    )  # fmt: skip
    found = [(one, whole) for one in given if one is not None]
    return found if rule.for_each is None else [(rule.for_each, True), *found]


def _reads(tree: Any, at_root: bool) -> Footprint:
    kind, children = tree["type"], tree["children"]
    if kind == "field":
        return None if tree["value"] == ROOT else frozenset({tree["value"]} if at_root else ())
    if kind in ("current", "identity"):
        return None if at_root else _NOTHING
    if kind in ("literal", "index", "slice"):
        return _NOTHING
    if kind == "expref":
        return _reads(children[0], False)
    if kind in _AT_CURRENT:
        return _union(_reads(child, at_root) for child in children)
    if kind in _ONWARD:
        if kind == "subexpression" and _is_root(children[0]) and children[1]["type"] == "field":
            below = _union(_reads(child, False) for child in children[2:])
            return _union([frozenset({children[1]["value"]}), below])
        onward = [_reads(child, False) for child in children[1:]]
        return _union([_reads(children[0], at_root), *onward])
    return None


def _is_root(tree: Any) -> bool:
    return bool(tree["type"] == "field" and tree["value"] == ROOT)


def _union(parts: Iterable[Footprint]) -> Footprint:
    fields: set[str] = set()
    for part in parts:
        if part is None:
            return None
        fields |= part
    return frozenset(fields)
