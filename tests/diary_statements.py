"""The statements of a diary: words of one line become one `Statement` (tests.diary)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED, parse
from lakehouse.model.statements import (
    CLASSIFICATION,
    ENTITY,
    PAINTING,
    TRUST,
    Operation,
    Statement,
)

Kinds = dict[str, tuple[bool, bool]]
"""Declared predicates: (many, literal)."""
_OPERATIONS: Final = {op.value: op for op in Operation}
_CLAUSES: Final = {"from", "by", "in", "tagged"} | TRUST.keys() | CLASSIFICATION.keys()


def expect(true: bool, otherwise: str) -> None:
    """ValueError with that sentence unless it is true."""
    if not true:
        raise ValueError(otherwise)


class Words:
    """The words of a line, taken one after the other."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)

    def __bool__(self) -> bool:
        return bool(self._words)

    def peek(self) -> str:
        """The next word, "" at the end."""
        return self._words[0] if self._words else ""

    def next(self, what: str = "an instant") -> str:
        """Take the next word."""
        expect(bool(self._words), f"{what} is missing at the end")
        return self._words.pop(0)

    def take(self, word: str) -> bool:
        """Take the next word if it is this one."""
        if self.peek() != word:
            return False
        self._words.pop(0)
        return True

    def several(self, what: str) -> list[str]:
        """Take a word that lists some, with commas."""
        return self.next(what).split(",")

    def level(self) -> int:
        """Take a trust, by name or number."""
        word = self.next("a trust")
        expect(word in TRUST or word.isdigit(), f"{word!r} is no trust: {', '.join(TRUST)}")
        return TRUST[word] if word in TRUST else int(word)

    def classification(self) -> int:
        """Take a classification, by name."""
        word = self.next("a classification")
        expect(word in CLASSIFICATION, f"{word!r} is none of {', '.join(CLASSIFICATION)}")
        return CLASSIFICATION[word]

    def done(self) -> None:
        """Nothing may be left."""
        expect(not self._words, f"{' '.join(self._words)!r} is not understood here")


def instant(word: str, *, always: int | None = None, forever: int | None = None) -> int:
    """A number of microseconds, or ISO-8601; `always` and `forever` where they have a meaning."""
    if word == "always" and always is not None:
        return always
    if word == "forever" and forever is not None:
        return forever
    return int(word) if word.lstrip("-").isdigit() else parse(word)


def spoken(words: Words, said: Sequence[Statement], kinds: Kinds, tenant: str) -> Statement:
    """The statement of a line, behind those that were said before it."""
    at = instant(words.next())
    expect(not said or said[-1].recorded_at <= at, "recorded instants never decrease")
    name = words.next()[:-1] if words.peek().endswith(":") else f"s{len(said) + 1}"
    expect(name not in {s.statement_id for s in said}, f"the id {name!r} is used above")
    op = _OPERATIONS.get(words.peek(), Operation.ASSERT)
    words.take(op.value)
    what = _painted(op, words, kinds) if op in PAINTING else _aimed(op, words, said)
    carried = _carried(words, name)
    if op is Operation.MARK:
        marked = {"mark_trust": carried["trust"], "mark_classification": carried["classification"]}
        expect(set(marked.values()) != {None}, "a mark says a trust, a classification or both")
        carried |= {**marked, "trust": 0, "classification": 0}
    carried = {key: 0 if value is None and "mark" not in key else value
               for key, value in carried.items()}  # fmt: skip
    return Statement(
        tenant=tenant, statement_id=name, op=op, recorded_at=at, seq=len(said), **what, **carried
    )


def _painted(op: Operation, words: Words, kinds: Kinds) -> dict[str, Any]:
    subject, predicate = words.next("a subject"), words.next("a predicate")
    many, literal = kinds.get(predicate, (False, False))
    value: str | None = None
    if op is Operation.ASSERT or words.peek() not in {"", *_CLAUSES}:
        value = words.next("a value")
        expect(op is Operation.ASSERT or many, f"{op} names a value on `many` predicates only")
    return {
        "subject": subject,
        "predicate": predicate,
        "object": value,
        "object_kind": "string" if literal else ENTITY,
        **_period(op, words),
    }


def _period(op: Operation, words: Words) -> dict[str, int]:
    open_end = FOREVER if op is Operation.RETRACT else UNTIL_CHANGED
    if not words.take("from"):
        expect(op is Operation.RETRACT, "a period is missing: `from A`, `from A to B`")
        return {"valid_from": ALWAYS, "valid_to": open_end}
    start, end = instant(words.next(), always=ALWAYS), open_end
    if words.take("to"):
        expect(op is not Operation.END, "an end has a start only")
        end = instant(words.next(), forever=FOREVER)
    elif words.take("until"):
        expect(words.take("changed"), "expected `until changed`")
    expect(start < end, "the period is empty")
    return {"valid_from": start, "valid_to": end}


def _aimed(op: Operation, words: Words, said: Sequence[Statement]) -> dict[str, Any]:
    target = words.next(f"what to {op}")
    names = {name for s in said for name in (s.statement_id, s.episode_id)}
    if op is Operation.ERASE:
        names |= {name for s in said for name in (s.subject, s.object or "")}
    expect(target in names, f"nothing above is called {target!r}")
    return {"target": target}


def _carried(words: Words, name: str) -> dict[str, Any]:
    carried: dict[str, Any] = {
        "episode_id": f"ep-{name}", "source": "", "tags": (), "trust": None, "classification": None,
    }  # fmt: skip
    while words:
        if words.take("by"):
            carried["source"] = words.next("a source")
        elif words.take("in"):
            carried["episode_id"] = words.next("an episode")
        elif words.take("tagged"):
            carried["tags"] = tuple(words.several("tags"))
        elif words.peek() in TRUST:
            carried["trust"] = words.level()
        elif words.peek() in CLASSIFICATION:
            carried["classification"] = words.classification()
        else:
            break
    return carried
