"""Deliberately wrong folds and queries: each breaks one rule of DESIGN section 3 in one place.

A mutant replaces one function of the model, rewrites what the fold is given, or changes one line
of Cypher as it is loaded. `caught_by` names the golden case written for its mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest

from graph import statements as cypher
from lakehouse.model import beliefs, standing
from lakehouse.model import fold as folding
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.fold import CardinalityOf, Folded
from lakehouse.model.instants import UNTIL_CHANGED
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import PAINTING, Operation, Statement
from queries import rows
from queries import statements as verbs

Patch = pytest.MonkeyPatch
VALID = "r.valid_from <= $valid_at AND $valid_at < r.valid_to"
KNOWN = "r.recorded_from <= $known_at AND $known_at < r.recorded_to"


@dataclass(frozen=True)
class Mutant:
    """One mistake and the case that must notice it."""

    name: str
    caught_by: str
    make: Callable[[Patch], None]


def _read_by(rule: Callable[[Belief | Support, int, int], bool]) -> Callable[[Patch], None]:
    """The reading rule with other clocks."""

    def live(box: Belief | Support, valid_at: int, known_at: int, listener: int) -> bool:
        return rule(box, valid_at, known_at) and bool(box.listeners & listener)

    return lambda patch: patch.setattr(beliefs, "live", live)


def _heard_as(change: Callable[[list[Statement]], Iterable[Statement]]) -> Callable[[Patch], None]:
    """The right fold of a changed ledger."""
    right = folding.fold

    def fold(said: Iterable[Statement], cardinality: CardinalityOf, listeners: Listeners) -> Folded:
        return right(change(list(said)), cardinality, listeners)

    return lambda patch: patch.setattr(folding, "fold", fold)


def _filtered_afterwards(patch: Patch) -> None:
    """Everybody hears everything; who listens then picks beliefs by what their origin carries."""
    right = folding.fold
    patch.setattr(standing, "_heard", lambda statement, carried, listeners: tuple(carried))

    def fold(said: Iterable[Statement], cardinality: CardinalityOf, listeners: Listeners) -> Folded:
        ledger = list(said)
        by_id = {s.statement_id: s for s in ledger}

        def who(statement: str, trust: int, classification: int) -> int:
            origin = by_id[statement]
            return listeners.mask(trust, classification, origin.source, origin.tags)

        found = right(ledger, cardinality, listeners)
        return Folded(
            tuple(
                b._replace(listeners=who(b.origin, b.trust, b.classification))
                for b in found.beliefs
            ),
            tuple(
                s._replace(listeners=who(s.statement_id, s.trust, s.classification))
                for s in found.supports
            ),
        )

    patch.setattr(folding, "fold", fold)


def _aimed_at(ledger: list[Statement], undoer: Statement) -> list[Statement]:
    return [
        s
        for s in ledger
        if undoer.target in (s.statement_id, s.episode_id) and s.order < undoer.order
    ]


def _withdraw_as_retract(ledger: list[Statement]) -> Iterable[Statement]:
    for s in ledger:
        if s.op is not Operation.WITHDRAW:
            yield s
            continue
        for number, old in enumerate(o for o in _aimed_at(ledger, s) if o.op in PAINTING):
            yield replace(
                old,
                statement_id=f"{s.statement_id}-{number}",
                op=Operation.RETRACT,
                recorded_at=s.recorded_at,
                seq=s.seq,
                object=None,
                valid_to=old.end,
            )


def _withdrawn_from_the_start(ledger: list[Statement]) -> Iterable[Statement]:
    gone = {
        old.statement_id
        for s in ledger
        if s.op is Operation.WITHDRAW
        for old in _aimed_at(ledger, s)
    }
    return [s for s in ledger if s.statement_id not in gone]


def _marked_from_the_start(ledger: list[Statement]) -> Iterable[Statement]:
    for s in ledger:
        for mark in ledger:
            if mark.mark_trust is not None and s in _aimed_at(ledger, mark):
                s = replace(s, trust=mark.mark_trust)  # noqa: PLW2901
        yield s


def _without_erased(ledger: list[Statement]) -> Iterable[Statement]:
    targets = {s.target for s in ledger if s.op is Operation.ERASE}
    gone = {s.statement_id for s in ledger if not targets.isdisjoint(s.names)}
    return [s for s in ledger if s.statement_id not in gone]


def _property(name: str, value: Callable[[Statement], object]) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(Statement, name, property(value))


def _last_first_within_an_instant(patch: Patch) -> None:
    def in_order(said: Iterable[Statement]) -> list[Statement]:
        return sorted(said, key=lambda s: (s.recorded_at, -s.seq))

    patch.setattr(folding, "in_order", in_order)


FOLDS = [
    Mutant("known_at is ignored", "half-open on both axes",
           _read_by(lambda b, v, k: b.valid_from <= v < b.valid_to)),
    Mutant("valid_at is ignored", "half-open on both axes",
           _read_by(lambda b, v, k: b.recorded_from <= k < b.recorded_to)),
    Mutant("the valid end is inside", "half-open on both axes",
           _read_by(lambda b, v, k: b.valid_from <= v <= b.valid_to
                    and b.recorded_from <= k < b.recorded_to)),
    Mutant("the valid start is outside", "half-open on both axes",
           _read_by(lambda b, v, k: b.valid_from < v < b.valid_to
                    and b.recorded_from <= k < b.recorded_to)),
    Mutant("the recorded end is inside", "withdrawn, and what lay beneath returns",
           _read_by(lambda b, v, k: b.valid_from <= v < b.valid_to
                    and b.recorded_from <= k <= b.recorded_to)),
    Mutant("the recorded start is outside", "half-open on both axes",
           _read_by(lambda b, v, k: b.valid_from <= v < b.valid_to
                    and b.recorded_from < k < b.recorded_to)),
    Mutant("listeners filter afterwards",
           "an unverified correction does not blind a verified reader", _filtered_afterwards),
    Mutant("until changed is taken for forever", "a late record yields to what begins later",
           _property("until_changed", lambda s: False)),
    Mutant("forever is taken for until changed", "until changed yields, forever does not",
           _property("until_changed", lambda s: s.op is Operation.END
                     or (s.op is Operation.ASSERT and s.valid_to >= UNTIL_CHANGED))),
    Mutant("of two at one instant the first holds",
           "of two recorded at one instant the later line holds",
           _last_first_within_an_instant),
    Mutant("a withdrawal retracts", "withdrawn, and what lay beneath returns",
           _heard_as(_withdraw_as_retract)),
    Mutant("a withdrawal reaches back in recorded time", "withdrawn, and what lay beneath returns",
           _heard_as(_withdrawn_from_the_start)),
    Mutant("a mark reaches back in recorded time", "marked, and marked again",
           _heard_as(_marked_from_the_start)),
    Mutant("what is erased uncovers the older belief", "the older belief does not come back",
           _heard_as(_without_erased)),
]  # fmt: skip


def _cypher(package: str, name: str, old: str, new: str) -> Callable[[Patch], None]:
    """One statement of Cypher with one passage exchanged as it is loaded."""
    right = cypher._read

    def read(of: str, file: str) -> str:
        text = right(of, file)
        if (of, file) != (package, name):
            return text
        assert text.count(old) == 1, f"{file}.cypher reads otherwise now: {old}"
        return text.replace(old, new)

    def make(patch: Patch) -> None:
        forget_texts()
        patch.setattr(cypher, "_read", read)

    return make


def forget_texts() -> None:
    """Let every statement be loaded anew."""
    for cached in (
        cypher.statement, cypher.statements, verbs.verb, verbs.stepping, verbs.asked_by,
    ):  # fmt: skip
        cached.cache_clear()


def _rule(old: str, new: str) -> Callable[[Patch], None]:
    return _cypher("graph", "rule", old, new)


def _steps(valid: str, known: str) -> Callable[[Patch], None]:
    """Paths whose steps are read by these conditions."""
    told = f"{valid} AND {known} AND\n//: include access r\n"
    return _cypher("queries", "paths", "//: include rule r\n", told)


QUERIES = [
    Mutant("known_at is ignored", "half-open on both axes", _rule(KNOWN, "true")),
    Mutant("valid_at is ignored", "half-open on both axes", _rule(VALID, "true")),
    Mutant("the valid end is inside", "half-open on both axes",
           _rule("$valid_at < r.valid_to", "$valid_at <= r.valid_to")),
    Mutant("the valid start is outside", "half-open on both axes",
           _rule("r.valid_from <= $valid_at", "r.valid_from < $valid_at")),
    Mutant("the recorded end is inside", "withdrawn, and what lay beneath returns",
           _rule("$known_at < r.recorded_to", "$known_at <= r.recorded_to")),
    Mutant("the recorded start is outside", "half-open on both axes",
           _rule("r.recorded_from <= $known_at", "r.recorded_from < $known_at")),
    Mutant("trust filters afterwards", "an unverified correction does not blind a verified reader",
           _cypher("graph", "access", "r.listeners / $listener % 2 = 1",
                   "toInteger(log($listener) / log(2) + 0.5) <= r.trust")),
    Mutant("clearance is ignored", "who may not see it is told nothing, in the past either",
           _cypher("graph", "access", "r.classification <= $clearance", "true")),
    Mutant("later steps hold at any valid instant", "both steps hold at the same valid instant",
           _steps(f"(startNode(r).id <> $entity OR {VALID})", KNOWN)),
    Mutant("later steps are known at any instant",
           "both steps are known at the same recorded instant",
           _steps(VALID, f"(startNode(r).id <> $entity OR {KNOWN})")),
    Mutant("later confirmations count", "a confirmation does not cut what it confirms",
           _cypher("queries", "believed", "//: include rule c\n",
                   "c.valid_from <= $valid_at AND $valid_at < c.valid_to AND\n"
                   "//: include access c\n")),
    Mutant("later closings show", "what closes it later is not seen before",
           lambda patch: patch.setattr(rows, "masked", lambda end, by, why, known_at: (
               end, by, why))),
]  # fmt: skip
