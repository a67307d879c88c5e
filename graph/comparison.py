"""Rows of the lake against rows of the graph: what is missing, doubled, altered or foreign.

A row becomes a 128-bit fingerprint, and only fingerprints are kept of what is equal. What differs
is found with both its rows, so that it can be told in words and mended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from graph.digest import Digest, fingerprint
from graph.lake_rows import Shape
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
        shape = self.shape if self.as_shape is None else self.as_shape
        altered = self.kind is Kind.ALTERED
        row = self.want if altered or self.have is None else self.have
        assert row is not None
        shape = self.shape if altered or self.have is None else shape
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
class Comparison:
    """Takes in all rows of the lake, then all of the graph, then says what differs."""

    lake_digest: Digest = field(default_factory=Digest)
    graph_digest: Digest = field(default_factory=Digest)
    edges: int = 0
    nodes: int = 0
    _wanted: dict[str, dict[str, int]] = field(default_factory=dict)
    _seen: dict[str, set[str]] = field(default_factory=dict)
    _altered: dict[_Place, tuple[Shape, Row]] = field(default_factory=dict)
    _doubled: dict[_Place, list[tuple[Shape, Row]]] = field(default_factory=dict)
    _foreign: list[Finding] = field(default_factory=list)

    def lake(self, shape: Shape, row: Row) -> None:
        """Take in a row of the lake's."""
        mark = fingerprint(shape.name, row)
        self._wanted.setdefault(shape.group, {})[shape.key(row)] = mark
        if shape.subject_at is not None:
            self.lake_digest.add(row[shape.subject_at], mark)

    def graph(self, shape: Shape, row: Row) -> None:
        """Compare a row of the graph's."""
        key, mark = shape.key(row), fingerprint(shape.name, row)
        if shape.subject_at is not None:
            self.graph_digest.add(row[shape.subject_at], mark)
        self.edges += shape.edge
        self.nodes += not shape.edge
        want = self._wanted.get(shape.group, {}).get(key)
        seen = self._seen.setdefault(shape.group, set())
        if want is None:
            self._foreign.append(Finding(Kind.FOREIGN, shape, None, row))
        elif key in seen:
            place = (shape.group, key)
            extra = self._altered.pop(place, None) if want == mark else None
            self._doubled.setdefault(place, []).append(extra or (shape, row))
        elif want != mark:
            self._altered[shape.group, key] = (shape, row)
        seen.add(key)

    def findings(self, lake: Iterable[tuple[Shape, Row]]) -> list[Finding]:
        """All that differs; `lake` gives the lake's rows once more, and is asked only if need be.

        In the order foreign, then the lake's.
        """
        missing = {
            (group, key)
            for group, wanted in self._wanted.items()
            for key in wanted.keys() - self._seen.get(group, set())
        }
        found = list(self._foreign)
        if not missing and not self._altered and not self._doubled:
            return found
        for shape, row in lake:
            place = (shape.group, shape.key(row))
            if place in missing:
                found.append(Finding(Kind.MISSING, shape, row, None))
            if place in self._altered:
                found.append(_differing(Kind.ALTERED, shape, row, *self._altered[place]))
            for other in self._doubled.get(place, ()):
                found.append(_differing(Kind.DOUBLED, shape, row, *other))
        return found


def told(findings: Iterable[Finding]) -> tuple[Difference, ...]:
    """Findings in words, the first of them in detail."""
    return tuple(one.told(detailed=at < DETAILED) for at, one in enumerate(findings))


def _differing(kind: Kind, shape: Shape, want: Row, as_shape: Shape, have: Row) -> Finding:
    return Finding(kind, shape, want, have, None if as_shape is shape else as_shape)
