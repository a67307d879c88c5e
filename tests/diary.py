"""Histories in the reader's notation: one statement a line, the expected answers as text.

`tests/golden/README.md` teaches the notation by example; the grammar, a line each:

    case TITLE                                                begins a case
    predicate NAME [many] [literal]                           else: one value, an entity
    listener NAME [trust LEVEL] [by SOURCE,…] [tagged TAG,…] [up to CLASSIFICATION]
    INSTANT [ID:] [OPERATION] … [by SOURCE] [in EPISODE] [TRUST] [CLASSIFICATION] [tagged TAG,…]
    ? SUBJECT PREDICATE @VALID,… known KNOWN,… [listener NAME] [clearance C] => VALUE: ID …; …
    reach START HOPS @VALID,… known KNOWN,… [listener NAME] => ENTITY: STEPS; …
    history SUBJECT PREDICATE known KNOWN,… [listener NAME] => VALUE from A to B known R to S; …

Whatever cannot be read is a `DiaryError` that names file and line.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TypeVar

from lakehouse.model.beliefs import ERASED
from lakehouse.model.errors import BeliefgraphError
from lakehouse.model.fold import CardinalityOf
from lakehouse.model.instants import ALWAYS, FOREVER, UNTIL_CHANGED
from lakehouse.model.listeners import Listener, Listeners
from lakehouse.model.predicates import Cardinality
from lakehouse.model.statements import CLASSIFICATION, PAINTING, Statement
from tests.diary_statements import Kinds, Words, expect, instant, spoken
from tests.histories import Answer, Asked, History, Reached, Rectangle, Told

ARROW = " => "
_T = TypeVar("_T")


class DiaryError(ValueError):
    """A line that cannot be read, with its place."""


@dataclass
class Case:
    """One history with its questions and their expected answers."""

    title: str
    tenant: str
    place: str
    statements: list[Statement] = field(default_factory=list)
    kinds: Kinds = field(default_factory=dict)
    declared: list[Listener] = field(default_factory=list)
    questions: list[tuple[Asked, Answer]] = field(default_factory=list)
    paths: list[tuple[Reached, dict[str, int]]] = field(default_factory=list)
    told: list[tuple[Told, frozenset[Rectangle]]] = field(default_factory=list)

    @property
    def listeners(self) -> Listeners:
        """Those of the case besides *trust >= n*."""
        return Listeners(tuple(self.declared))

    def cardinality(self) -> CardinalityOf:
        """A predicate that is not declared has one value."""
        many = {name for name, (many, _) in self.kinds.items() if many}
        return lambda name: Cardinality.MANY if name in many else Cardinality.ONE

    def history(self) -> History:
        """The case's ledger for an engine."""
        return History(
            self.tenant, tuple(self.statements), self.cardinality(), self.listeners, self.title
        )


def cases(folder: Path) -> list[Case]:
    """The cases of every diary in the folder."""
    return [
        case
        for path in sorted(folder.glob("*.diary"))
        for case in parse(path.read_text(encoding="utf-8"), path.name)
    ]


def shown(page: Path) -> list[Case]:
    """The cases of a page's blocks of code that are a `diary`; a place is a line of the page."""
    inside, kept = False, []
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        inside = line == "```diary" if fence else inside
        kept.append(line if inside and not fence else "")
    return parse("\n".join(kept), page.name)


def parse(text: str, name: str = "diary") -> list[Case]:
    """The cases of one diary."""
    found: list[Case] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line.partition(ARROW)[0], comments=True)
            if words[:1] == ["case"]:
                title, tenant = " ".join(words[1:]), f"{Path(name).stem}-{len(found) + 1}"
                expect(bool(title), "a case needs a title")
                found.append(Case(title, tenant, f"{name}:{number}"))
            elif words:
                expect(bool(found), "a diary begins with `case TITLE`")
                _read(found[-1], Words(words), line.partition(ARROW)[2])
        except (ValueError, BeliefgraphError) as wrong:
            raise DiaryError(f"{name}:{number}: {wrong}\n    {line.strip()}") from None
    return found


def _read(case: Case, words: Words, right: str) -> None:
    reader = _READERS.get(words.peek())
    if reader is not None:
        words.next()
        reader(case, words, right)
    else:
        expect(not right, "a statement has no `=>`; questions begin with ?, reach or history")
        case.statements.append(spoken(words, case.statements, case.kinds, case.tenant))
    words.done()


def _predicate(case: Case, words: Words, right: str) -> None:
    name = words.next("the predicate's name")
    case.kinds[name] = (words.take("many"), words.take("literal"))


def _listener(case: Case, words: Words, right: str) -> None:
    name, trust, most = words.next("the listener's name"), 0, None
    sources: list[str] = []
    tags: list[str] = []
    while words:
        if words.take("trust"):
            trust = words.level()
        elif words.take("by"):
            sources = words.several("sources")
        elif words.take("tagged"):
            tags = words.several("tags")
        elif words.take("up") and words.take("to"):
            most = words.classification()
        else:
            expect(False, f"{words.peek()!r} is no condition of a listener")
    case.declared.append(Listener(name, trust, frozenset(sources), most, frozenset(tags)))


def _question(case: Case, words: Words, right: str) -> None:
    subject, predicate = words.next("a subject"), words.next("a predicate")
    _spoken_of(case, predicate)
    valid, (known, listener) = _valid(words), _heard(case, words)
    clearance = words.classification() if words.take("clearance") else CLASSIFICATION["restricted"]
    answer = dict(_values(case, right))
    for v, k in product(valid, known):
        asked = Asked(case.tenant, subject, predicate, v, k, listener, clearance)
        case.questions.append((asked, answer))


def _reach(case: Case, words: Words, right: str) -> None:
    start, hops = words.next("a start"), words.next("the number of steps")
    valid, (known, listener) = _valid(words), _heard(case, words)
    steps: dict[str, int] = {}
    for name, (step,) in _pairs(right, "ENTITY: STEPS", most=1):
        steps[name] = int(step)
    for v, k in product(valid, known):
        case.paths.append((Reached(case.tenant, start, int(hops), v, k, listener), steps))


def _history(case: Case, words: Words, right: str) -> None:
    subject, predicate = words.next("a subject"), words.next("a predicate")
    _spoken_of(case, predicate)
    known, listener = _heard(case, words)
    rectangles = frozenset(map(_rectangle, _parts(right)))
    for k in known:
        case.told.append((Told(case.tenant, subject, predicate, k, listener), rectangles))


_READERS: dict[str, Callable[[Case, Words, str], None]] = {
    "predicate": _predicate,
    "listener": _listener,
    "?": _question,
    "reach": _reach,
    "history": _history,
}


def _valid(words: Words) -> list[int]:
    word = words.next("@VALID")
    expect(word.startswith("@"), f"expected @VALID, found {word!r}")
    return [instant(one) for one in word[1:].split(",")]


def _heard(case: Case, words: Words) -> tuple[list[int], str]:
    expect(words.take("known"), "expected `known INSTANT`")
    known = [instant(one) for one in words.several("instants")]
    listener = words.next("a listener") if words.take("listener") else "trust>=0"
    case.listeners.bit(listener)
    return known, listener


def _spoken_of(case: Case, predicate: str) -> None:
    said = {s.predicate for s in case.statements if s.op in PAINTING} | case.kinds.keys()
    expect(predicate in said, f"nothing above speaks of {predicate!r}")


def _parts(right: str) -> list[str]:
    expect(bool(right.strip()), "a question needs `=> ANSWER`; write `=> nothing` for none")
    return [] if _only(right, "nothing") else right.split(";")


def _only(text: str, word: str) -> bool:
    """Whether the text is that word, a comment aside."""
    return shlex.split(text, comments=True) == [word]


def _pairs(right: str, shape: str, most: int | None = None) -> Iterator[tuple[str, list[str]]]:
    for part in _parts(right):
        name, *rest = shlex.split(part, comments=True)
        expect(name.endswith(":") and bool(rest), f"expected {shape}, found {part.strip()!r}")
        expect(most is None or len(rest) <= most, f"expected {shape}, found {part.strip()!r}")
        yield name[:-1], rest


def _values(case: Case, right: str) -> Iterator[tuple[str, frozenset[str]]]:
    ids = {s.statement_id for s in case.statements}
    slots = [part for part in _parts(right) if _only(part, ERASED)]
    if slots:
        yield ERASED, frozenset()
        right = ";".join(part for part in _parts(right) if part not in slots) or "nothing"
    for value, supporters in _pairs(right, "VALUE: ID …"):
        unknown = set(supporters) - ids
        expect(not unknown, f"no statement above has the id {sorted(unknown)}")
        yield value, frozenset(supporters)


def _rectangle(part: str) -> Rectangle:
    words = Words(shlex.split(part, comments=True))
    value = words.next("a value")
    expect(words.take("from"), "expected `from INSTANT`")
    start, end = instant(words.next(), always=ALWAYS), UNTIL_CHANGED
    if words.take("to"):
        end = instant(words.next(), forever=FOREVER)
    expect(words.take("known"), "expected `known INSTANT`")
    since = instant(words.next())
    until = instant(words.next()) if words.take("to") else FOREVER
    words.done()
    return Rectangle(value, start, end, since, until)
