"""Rows of the lake against rows of the graph: what is missing, doubled, altered or foreign.

A row becomes a fingerprint (`graph.marks`), and only that is kept of what is equal. What differs
is found with both its rows, so that it can be told in words and mended.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from graph.digest import Digest, fingerprints
from graph.lake_rows import Rows, Shape
from graph.marks import Marks, differing
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


@dataclass(slots=True)
class Side:
    """All rows of the lake or of the graph: their number, their fingerprints and the digest."""

    digest: Digest = field(default_factory=Digest)
    edges: int = 0
    nodes: int = 0
    marks: Marks = field(default_factory=Marks)

    def take(self, chunks: Iterable[Rows]) -> Side:
        """Take in rows; itself."""
        for shape, rows in chunks:
            prints = fingerprints(shape.name, rows)
            self.marks.add(shape.group, shape.keys(rows), prints)
            if shape.subject_at is not None:
                at = shape.subject_at
                self.digest.add([row[at] for row in rows], prints)
            if shape.edge:
                self.edges += len(rows)
            else:
                self.nodes += len(rows)
        return self


_Named = dict[tuple[str, str], list[tuple[Shape, Row]]]
"""Rows with their shapes, by their group and what names them in it."""


def findings(
    lake: Side,
    graph: Side,
    lake_again: Callable[[], Iterable[Rows]],
    graph_again: Callable[[], Iterable[Rows]],
) -> list[Finding]:
    """All that differs. Only if anything does, the rows of both sides are asked for once more."""
    places = differing(lake.marks, graph.marks)
    if not places:
        return []
    have, want = _named(graph_again(), places), _named(lake_again(), places)
    found = [
        Finding(Kind.FOREIGN, shape, None, row)
        for name, rows in have.items()
        if name not in want
        for shape, row in rows
    ]
    for name, rows in want.items():
        for shape, row in rows:
            if name not in have:
                found.append(Finding(Kind.MISSING, shape, row, None))
            else:
                found += _differing(shape, row, have[name])
    return found


def _named(chunks: Iterable[Rows], places: Collection[int]) -> _Named:
    """The rows that may differ."""
    found: _Named = {}
    for shape, rows in chunks:
        names = shape.keys(rows)
        for row, name, at in zip(rows, names, Marks.places(shape.group, names), strict=True):
            if at in places:
                found.setdefault((shape.group, name), []).append((shape, row))
    return found


def _differing(shape: Shape, want: Row, have: Sequence[tuple[Shape, Row]]) -> Iterator[Finding]:
    """Of what the graph holds of one thing: all but the right one are too many."""
    mark = fingerprints(shape.name, [want])
    kept = [fingerprints(other.name, [row]) == mark for other, row in have]
    right = kept.index(True) if any(kept) else None
    for at, (other, row) in enumerate(have):
        if at != right:
            kind = Kind.ALTERED if right is None and at == 0 else Kind.DOUBLED
            yield Finding(kind, shape, want, row, None if other is shape else other)


def told(findings: Iterable[Finding]) -> tuple[Difference, ...]:
    """Findings in words, the first of them in detail."""
    return tuple(one.told(detailed=at < DETAILED) for at, one in enumerate(findings))


@contextmanager
def uncollected() -> Iterator[None]:
    """No cycles are looked for meanwhile: there are none, and a million rows to look at."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
