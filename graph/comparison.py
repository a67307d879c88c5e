"""Rows of the lake against rows of the graph: what is missing, doubled, altered or foreign.

A row becomes a 128-bit fingerprint, and only fingerprints are kept of what is equal. What differs
is found with both its rows, so that it can be told in words and mended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from graph.digest import Digest, fingerprint
from graph.lake_rows import Rows, Shape
from graph.rows import Row

DETAILED: Final = 1_000
"""Of how many altered rows the differing columns are told."""


class Kind(StrEnum):
    """How graph and lake differ."""

    MISSING = "missing"
    DOUBLED = "doubled"
    ALTERED = "altered"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference; `belief_id` is empty for nodes and mentions, `where` says it in words."""

    kind: Kind
    belief_id: str
    where: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference with its rows: `want` is the lake's, `have` the graph's, each with a shape.

    `want` is None for what is foreign, `have` for what is missing; of something doubled `have`
    is the one too many.
    """

    kind: Kind
    shape: Shape
    want: Row | None
    have: Row | None
    as_shape: Shape | None = None
    """What the graph's row is, where it is not of the lake's shape."""

    def told(self, *, detailed: bool) -> Difference:
        """In words; `detailed` names the altered columns."""
        altered = self.kind is Kind.ALTERED
        if altered or self.have is None:
            row, shape = self.want, self.shape
        else:
            row, shape = self.have, self.as_shape or self.shape
        assert row is not None
        belief = "" if shape.belief_at is None else str(row[shape.belief_at])
        more = self._changes() if altered and detailed else ""
        return Difference(self.kind, belief, shape.words(row) + more)

    def _changes(self) -> str:
        if self.as_shape is not None:
            return f" is a {self.as_shape.name}"
        assert self.want is not None and self.have is not None
        told = [
            f"{column} is {there!r}, the lake says {want!r}"
            for column, there, want in zip(self.shape.columns, self.have, self.want, strict=True)
            if ascii(there) != ascii(want)
        ]
        return ": " + "; ".join(told)


_Place = tuple[str, str]
"""A group of shapes, and a row's key in it."""


@dataclass(slots=True)
class Side:
    """All rows of the lake or of the graph, as fingerprints by what names them."""

    digest: Digest = field(default_factory=Digest)
    edges: int = 0
    nodes: int = 0
    marks: dict[str, dict[str, int]] = field(default_factory=dict)
    doubled: set[_Place] = field(default_factory=set)

    def take(self, chunks: Iterable[Rows]) -> Side:
        """Take in rows; itself."""
        for shape, rows in chunks:
            marks = self.marks.setdefault(shape.group, {})
            before = len(marks)
            name, key, subject_at, add = shape.name, shape.key, shape.subject_at, self.digest.add
            for at, row in enumerate(rows):
                mark = fingerprint(name, row)
                if subject_at is not None:
                    add(row[subject_at], mark)
                named = key(row)
                marks[named] = mark
                if len(marks) != before + at + 1:
                    before -= 1
                    self.doubled.add((shape.group, named))
            if shape.edge:
                self.edges += len(rows)
            else:
                self.nodes += len(rows)
        return self


def findings(
    lake: Side,
    graph: Side,
    lake_again: Callable[[], Iterable[Rows]],
    graph_again: Callable[[], Iterable[Rows]],
) -> list[Finding]:
    """All that differs. Only if anything does, the rows of both sides are asked for once more."""
    missing, altered, foreign = _places(lake, graph)
    touched = altered | graph.doubled
    if not missing and not touched and not foreign:
        return []
    have: defaultdict[_Place, list[tuple[Shape, Row]]] = defaultdict(list)
    for place, shape, row in _rows_at(graph_again(), touched | foreign):
        have[place].append((shape, row))
    found = [
        Finding(Kind.FOREIGN, shape, None, row)
        for place, rows in have.items()
        if place in foreign
        for shape, row in rows
    ]
    for place, shape, row in _rows_at(lake_again(), missing | touched):
        if place in missing:
            found.append(Finding(Kind.MISSING, shape, row, None))
        found += _differing(shape, row, have.get(place, []))
    return found


def _places(lake: Side, graph: Side) -> tuple[set[_Place], set[_Place], set[_Place]]:
    """Where something is missing, altered, foreign."""
    missing: set[_Place] = set()
    altered: set[_Place] = set()
    foreign: set[_Place] = set()
    for group in lake.marks.keys() | graph.marks.keys():
        want, have = lake.marks.get(group, {}), graph.marks.get(group, {})
        if want == have:
            continue
        missing |= {(group, key) for key in want.keys() - have.keys()}
        foreign |= {(group, key) for key in have.keys() - want.keys()}
        altered |= {(group, key) for key, mark in want.items() if have.get(key, mark) != mark}
    return missing, altered, foreign


def _rows_at(
    chunks: Iterable[Rows], places: Collection[_Place]
) -> Iterator[tuple[_Place, Shape, Row]]:
    for shape, rows in chunks:
        for row in rows:
            place = (shape.group, shape.key(row))
            if place in places:
                yield place, shape, row


def _differing(shape: Shape, want: Row, have: list[tuple[Shape, Row]]) -> Iterator[Finding]:
    """Of what the graph holds of one thing: all but the right one are too many."""
    mark = fingerprint(shape.name, want)
    kept = [fingerprint(other.name, row) == mark for other, row in have]
    right = kept.index(True) if any(kept) else None
    for at, (other, row) in enumerate(have):
        if at != right:
            kind = Kind.ALTERED if right is None and at == 0 else Kind.DOUBLED
            yield Finding(kind, shape, want, row, None if other is shape else other)


def told(findings: Iterable[Finding]) -> tuple[Difference, ...]:
    """Findings in words, the first of them in detail."""
    return tuple(one.told(detailed=at < DETAILED) for at, one in enumerate(findings))
