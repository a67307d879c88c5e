"""The graph against the lake, every property of every edge and node, and a digest of what is there.

Both sides are turned into the same rows (`graph.rows`), a row into a 128-bit fingerprint, and the
fingerprints into their sum: it does not depend on any order, and an edge counted twice shows.
Only fingerprints are kept; the graph is read in ranges of some thousand edges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from neo4j import Driver

from graph import state as states
from graph.lake_rows import Shape, lake_rows
from graph.reading import graph_rows, strays
from graph.rows import Row
from graph.state import State
from lakehouse.ledger import Ledger
from lakehouse.model.errors import ConflictError

NOTHING: Final = "0" * 32
"""The digest of an empty projection."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What a comparison found. `edges` and `nodes` are those of the graph."""

    tenant: str
    position: int
    epoch: int
    generation: int
    edges: int
    nodes: int
    differences: tuple[Difference, ...]
    digest: str
    lake_digest: str

    @property
    def equal(self) -> bool:
        """True when the graph holds exactly what the lake says."""
        return not self.differences and self.digest == self.lake_digest


@dataclass(slots=True)
class _Comparison:
    wanted: dict[str, dict[str, int]] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)
    altered: dict[tuple[str, str], Row] = field(default_factory=dict)
    found: list[Difference] = field(default_factory=list)
    lake_sum: int = 0
    graph_sum: int = 0
    edges: int = 0
    nodes: int = 0

    def lake(self, shape: Shape, row: Row) -> None:
        """Take in a row of the lake's."""
        mark = fingerprint(shape.name, row)
        self.wanted.setdefault(shape.group, {})[shape.key(row)] = mark
        self.lake_sum += mark

    def graph(self, shape: Shape, row: Row) -> None:
        """Compare a row of the graph's."""
        key, mark = shape.key(row), fingerprint(shape.name, row)
        self.graph_sum += mark
        self.edges += shape.edge
        self.nodes += not shape.edge
        want = self.wanted.get(shape.group, {}).get(key)
        seen = self.seen.setdefault(shape.group, set())
        if want is None:
            self._note(Kind.FOREIGN, shape, row)
        elif key in seen:
            extra = self.altered.pop((shape.group, key), None) if want == mark else None
            self._note(Kind.DOUBLED, shape, row if extra is None else extra[1:])
        elif want != mark:
            self.altered[shape.group, key] = [shape.name, *row]
        seen.add(key)

    def close(self, lake: Iterable[tuple[Shape, Row]]) -> None:
        """Name what is missing and what was altered, with a second look at the lake's rows."""
        missing = {
            (group, key)
            for group, wanted in self.wanted.items()
            for key in wanted.keys() - self.seen.get(group, set())
        }
        if not missing and not self.altered:
            return
        for shape, row in lake:
            at = (shape.group, shape.key(row))
            if at in missing:
                self._note(Kind.MISSING, shape, row)
            elif at in self.altered:
                told = len(self.found) < DETAILED
                now = self.altered[at]
                self._note(Kind.ALTERED, shape, row, _changes(shape, row, now) if told else "")

    def _note(self, kind: Kind, shape: Shape, row: Row, more: str = "") -> None:
        belief = "" if shape.belief_at is None else str(row[shape.belief_at])
        self.found.append(Difference(kind, belief, shape.words(row) + more))


def verify(ledger: Ledger, driver: Driver, database: str, tenant: str) -> Verified:
    """Compare all of the tenant's projection with its ledger at the projected position.

    ConflictError while a batch is under way or was left unfinished, or when the projection moved
    meanwhile.
    """
    state = states.read(driver, database, tenant)
    if state is None:
        return Verified(
            tenant=tenant, position=0, epoch=0, generation=0, edges=0, nodes=0, differences=(),
            digest=NOTHING, lake_digest=NOTHING,
        )  # fmt: skip
    _require_still(state)
    comparison = _Comparison()
    for shape, row in lake_rows(ledger, state):
        comparison.lake(shape, row)
    for shape, row in graph_rows(driver, database, tenant):
        comparison.graph(shape, row)
    comparison.close(lake_rows(ledger, state))
    for name, belief_id, start, end in strays(driver, database, tenant):
        where = f"({start})-[:{name}]->({end}) comes from outside of the tenant"
        comparison.found.append(Difference(Kind.FOREIGN, belief_id, where))
    after = states.read(driver, database, tenant)
    if after is None or (after.position, after.epoch, after.generation, after.projecting) != (
        state.position, state.epoch, state.generation, None,
    ):  # fmt: skip
        raise ConflictError(
            f"the projection of {tenant!r} moved while it was verified", remedy="Verify again."
        )
    return Verified(
        tenant=tenant, position=state.position, epoch=state.epoch, generation=state.generation,
        edges=comparison.edges, nodes=comparison.nodes, differences=tuple(comparison.found),
        digest=_hex(comparison.graph_sum), lake_digest=_hex(comparison.lake_sum),
    )  # fmt: skip


def fingerprint(name: str, row: Row) -> int:
    """128 bits of a row: of its text in ASCII, which tells 1 from "1", 1.0 and true."""
    text = f"{name}{row!a}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


def _hex(total: int) -> str:
    return f"{total % (1 << 128):032x}"


def _changes(shape: Shape, row: Row, now: Row) -> str:
    name, values = now[0], now[1:]
    if name != shape.name:
        return f" is a {name}"
    told = [
        f"{column} is {there!r}, the lake says {want!r}"
        for column, there, want in zip(shape.columns, values, row, strict=True)
        if ascii(there) != ascii(want)
    ]
    return ": " + "; ".join(told)


def _require_still(state: State) -> None:
    if state.projecting is not None:
        raise ConflictError(
            f"the projection of {state.tenant!r} to position {state.projecting} is not finished",
            remedy="Project again: it goes on from where it stopped; then verify.",
            tenant=state.tenant,
        )
