"""As-of questions over a relation of statements, answered by painting in SQL.

The rule is DESIGN section 3 in SQL (README.md tells it in words). Nothing here reads beliefs, and
nothing is shared with the fold but the names of things.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from lakehouse.asof.rectangles import Rectangle, covering, rectangles
from lakehouse.asof.relations import Statements
from lakehouse.model.beliefs import ERASED
from lakehouse.model.listeners import Listeners
from lakehouse.model.statements import CLASSIFICATION_NAMES, ENTITY

MOST_CLEARANCE: Final = len(CLASSIFICATION_NAMES) - 1
_ASKED: Final = pa.schema(
    [
        ("number", pa.int64()),
        ("subject", pa.large_string()),
        ("predicate", pa.large_string()),
        ("valid_at", pa.int64()),
        ("known_at", pa.int64()),
        ("listener", pa.int64()),
    ]
)
_MANY: Final = pa.schema([("predicate", pa.large_string())])


@dataclass(frozen=True, slots=True)
class Question:
    """A key at a pair of instants (µs UTC), for a listener by name."""

    subject: str
    predicate: str
    valid_at: int
    known_at: int
    listener: str = "trust>=0"


@dataclass(frozen=True, slots=True)
class At:
    """The pair of instants (µs UTC) and the listener, by name, of several questions."""

    valid_at: int
    known_at: int
    listener: str = "trust>=0"


Values = Mapping[str, frozenset[str]]
"""Each believed value with the statements that support it; `<erased>` has none."""
Top = Mapping[str, Any]
"""A believed value: number (of its question), subject, predicate, slot (its own object where the
predicate has many values), object, object_kind, erased, origin and supporters (dictionaries with
what each carries)."""


class AsOf:
    """Asks one tenant's statements. Not to be shared between threads.

    An unknown listener is an InputError. Nothing said is an empty answer.
    """

    def __init__(self, statements: Statements, many: Collection[str], listeners: Listeners) -> None:
        """`many` names the predicates that hold several values at a time."""
        self.statements: Final = statements
        self.listeners: Final = listeners
        self.many: Final = frozenset(many)
        statements.table("many", pa.Table.from_pydict({"predicate": sorted(many)}, _MANY))
        statements.listen(listeners)

    def believed(
        self, questions: Sequence[Question], *, clearance: int = MOST_CLEARANCE
    ) -> list[Values]:
        """The answers in the order of the questions; what is above the clearance is left out."""
        answers: list[dict[str, frozenset[str]]] = [{} for _ in questions]
        tops = self.tops(questions)
        for top in self._cleared(questions, tops, clearance):
            _add(answers[top["number"]], top)
        return list(answers)

    def tops(self, questions: Sequence[Question]) -> list[Top]:
        """What is on top for each question (its place is the number), whatever it is classified."""
        self._ask(
            [(q.subject, q.predicate, At(q.valid_at, q.known_at, q.listener)) for q in questions]
        )
        return self._painted("gather_keys")

    def tops_of(self, asked: Sequence[tuple[str, At]]) -> list[Top]:
        """What is on top of any predicate of each subject, whatever it is classified."""
        self._ask([(subject, None, at) for subject, at in asked])
        return self._painted("gather_subjects")

    def entity(self, subject: str, at: At) -> dict[str, Values]:
        """All that is believed of one subject, by predicate."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for top in self.tops_of([(subject, at)]):
            _add(found.setdefault(top["predicate"], {}), top)
        return dict(found)

    def state(self, at: At) -> pa.Table:
        """The tenant's whole state: a row for each believed value, in no stated order.

        Columns: subject, predicate, object, object_kind, erased, origin and supporters (statement
        ids; none where erased).
        """
        statements = self.statements
        statements.about(None)
        statements.let(
            valid_at=at.valid_at, known_at=at.known_at, listener=self.listeners.bit(at.listener)
        )
        statements.gather("gather_all")
        return statements.ask("tell_state", statements.erasure)

    def reach(self, start: str, hops: int, at: At) -> dict[str, int]:
        """What is reached from an entity in 1 to `hops` believed steps, with the fewest."""
        return self.reaches([(start, hops, at)])[0]

    def reaches(self, asked: Sequence[tuple[str, int, At]]) -> list[dict[str, int]]:
        """`reach` for many starts at once, each at its own pair of instants."""
        found = [{start: 0} for start, _, _ in asked]
        edge = [(number, start) for number, (start, _, _) in enumerate(asked)]
        for step in range(1, max((hops for _, hops, _ in asked), default=0) + 1):
            going = [(number, entity) for number, entity in edge if step <= asked[number][1]]
            tops = self.tops_of([(entity, asked[number][2]) for number, entity in going])
            edge = []
            for top in tops:
                number, entity = going[top["number"]][0], top["object"]
                if links(top) and entity not in found[number]:
                    found[number][entity] = step
                    edge.append((number, entity))
        for (start, _, _), steps in zip(asked, found, strict=True):
            del steps[start]
        return found

    def keys_holding(
        self, values: Sequence[str], predicate: str | None = None, *, links: bool = False
    ) -> list[tuple[str, str]]:
        """Keys (subject, predicate) of which one of the values was ever said.

        Of one predicate if given; with `links` only where it is an entity's id.
        """
        statements = self.statements
        statements.about(None)
        statements.let(values=list(values), predicate=predicate, links=links)
        found = statements.ask("hold")
        return list(zip(*(found[name].to_pylist() for name in found.column_names), strict=True))

    def rectangles(
        self, keys: Sequence[tuple[str, str]], known_to: int | None = None
    ) -> list[list[Rectangle]]:
        """The rectangles of each key (subject, predicate), as far as recorded by `known_to`.

        A rectangle that ends later reads as open; None hears the whole ledger.
        """
        return rectangles(self.statements, keys, known_to)

    def veiled(self, clearance: int) -> list[tuple[str, str]]:
        """Of the keys asked last, those of which something may be above the clearance."""
        if clearance >= MOST_CLEARANCE:
            return []
        self.statements.let(clearance=clearance)
        found = self.statements.ask("veil")
        return list(zip(*(found[name].to_pylist() for name in found.column_names), strict=True))

    def _cleared(
        self, questions: Sequence[Question], tops: Sequence[Top], clearance: int
    ) -> Iterable[Top]:
        veiled = self.veiled(clearance)
        cut = dict(zip(veiled, self.rectangles(veiled), strict=True)) if veiled else {}
        for top in tops:
            found = cut.get((top["subject"], top["predicate"]))
            if found is not None:
                asked = questions[top["number"]]
                bit = self.listeners.bit(asked.listener)
                lies_in = covering(found, top["slot"], asked.valid_at, asked.known_at, bit)
                if lies_in.strictest > clearance:
                    continue
            yield top

    def _ask(self, asked: Sequence[tuple[str, str | None, At]]) -> None:
        bits = {name: self.listeners.bit(name) for name in {at.listener for _, _, at in asked}}
        columns = {
            "number": range(len(asked)),
            "subject": [subject for subject, _, _ in asked],
            "predicate": [predicate for _, predicate, _ in asked],
            "valid_at": [at.valid_at for _, _, at in asked],
            "known_at": [at.known_at for _, _, at in asked],
            "listener": [bits[at.listener] for _, _, at in asked],
        }
        self.statements.about({subject for subject, _, _ in asked})
        self.statements.table("asked", pa.Table.from_pydict(columns, _ASKED))

    def _painted(self, gather: str) -> list[Top]:
        self.statements.gather(gather)
        found = self.statements.ask("tell_tops", self.statements.erasure)
        return list(found.to_pylist())


def links(top: Top) -> bool:
    """True where the value is an entity that a path may pass."""
    return top["object_kind"] == ENTITY and not top["erased"]


def _add(values: dict[str, frozenset[str]], top: Top) -> None:
    value = ERASED if top["erased"] else top["object"]
    values[value] = frozenset(one["statement_id"] for one in top["supporters"])
