"""What the graph should hold, from the lake: every row of a tenant with its shape.

A shape says what kind of thing a row is, which of its columns name it, and how to put it in
words. Rows are the writer's (`graph.rows`) with the count of stated properties behind them, so
that a property too many in the graph is a difference as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from graph import rows as r
from graph.facts import believed_at, facts_of
from graph.fork import forks
from graph.rows import Nodes, Row
from lakehouse.ledger import Ledger
from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode
from lakehouse.model.ledger import Commit


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of row. Shapes of one group share their keys (a belief is an edge of one type)."""

    name: str
    group: str
    columns: tuple[str, ...]
    key_at: tuple[int, ...]
    edge: bool
    belief_at: int | None = None
    subject_at: int | None = None
    """Where its subject's id stands, if it is an edge that the digest counts."""

    def at(self, column: str) -> int:
        """Where a row has that column."""
        return self.columns.index(column)

    def keys(self, rows: Sequence[Row]) -> list[str]:
        """What names each of the rows in its group."""
        if len(self.key_at) == 1:
            (at,) = self.key_at
            return [str(row[at]) for row in rows]
        return ["".join([f"{len(str(row[at]))}:{row[at]}" for at in self.key_at]) for row in rows]

    def key(self, row: Row) -> str:
        """What names the row in its group."""
        return self.keys([row])[0]

    def words(self, row: Row) -> str:
        """The row as a reader of Cypher would point at it."""
        return f"({row[0]})-[:{self.name}]->({row[1]})" if self.edge else f"(:{self.name} {row[0]})"


_COUNT: Final = ("number of properties",)
_LABELS: Final = ("labels",)


def _edge(
    name: str,
    group: str,
    properties: tuple[str, ...],
    named_by: tuple[str, ...],
    subject: str | None = None,
) -> Shape:
    columns = ("start", "end", *properties, *_COUNT)
    key_at = tuple(columns.index(column) for column in named_by)
    belief_at = columns.index("belief_id") if "belief_id" in columns else None
    subject_at = None if subject is None else columns.index(subject)
    return Shape(name, group, columns, key_at, True, belief_at, subject_at)


def _node(name: str, columns: tuple[str, ...]) -> Shape:
    return Shape(name, name.lower(), columns, (0,), False)


BELIEF: Final = _edge("BELIEF", "belief", r.EDGE, ("belief_id",), "start")
ATTRIBUTE: Final = _edge("ATTRIBUTE", "belief", r.EDGE, ("belief_id",), "start")
CONFIRMS: Final = _edge("CONFIRMS", "confirms", r.CONFIRMS, ("support_id",), "end")
MENTIONS: Final = _edge("MENTIONS", "mentions", r.MENTIONS, ("start", "end"))
ENTITY_NODE: Final = _node("Entity", r.ENTITIES + _COUNT)
VALUE_NODE: Final = _node("Value", r.VALUES + _LABELS + _COUNT)
EPISODE_NODE: Final = _node("Episode", r.EPISODES + _LABELS + _COUNT)
ENTITY_NAME: Final = _node("Entity", r.ENTITIES[:3])
VALUE_TEXT: Final = _node("Value", ("id", "tenant", "predicate", "text"))
_SURE: Final = tuple(
    at for at, name in enumerate(r.EPISODES) if name not in ("location", "who", "tags")
)
EPISODE_HEAD: Final = _node("Episode", tuple(r.EPISODES[at] for at in _SURE))
"""What is sure of a node from some of its edges: the type or kind is the earliest of all, and an
episode names somebody while any of what it said is there."""


Rows = tuple[Shape, list[Row]]
"""Some rows of one shape."""
CHUNK: Final = 5_000
"""Rows that are handed over together."""


def lake_rows(ledger: Ledger, tenant: str, position: int) -> Iterator[Rows]:
    """Every row that the tenant's projection at that position should hold."""
    (told,) = _told(ledger, tenant, [position], None)
    nodes = Nodes(tenant)
    yield from _edges(told, nodes)
    yield from _chunked(MENTIONS, (_counted(row, 2) for row in nodes.mention_rows()))
    yield from _chunked(ENTITY_NODE, ([*row, 4] for row in nodes.entity_rows()))
    yield from _chunked(VALUE_NODE, (_labelled(row) for row in nodes.value_rows()))
    episodes = nodes.episode_rows(told.headers)
    yield from _chunked(EPISODE_NODE, (_labelled(row) for row in episodes))


def lake_rows_of(
    ledger: Ledger, tenant: str, positions: Sequence[int], subjects: Collection[str]
) -> list[list[Rows]]:
    """As `lake_rows`, at each of these positions, of these subjects: edges and what they lead to.

    Of a node that is told which follows from these edges alone.
    """
    return [
        list(_rows_of(told, Nodes(tenant))) for told in _told(ledger, tenant, positions, subjects)
    ]


def _rows_of(told: _Told, nodes: Nodes) -> Iterator[Rows]:
    yield from _edges(told, nodes)
    yield from _chunked(ENTITY_NAME, (row[:3] for row in nodes.entity_rows()))
    yield from _chunked(VALUE_TEXT, ([*row[:3], row[4]] for row in nodes.value_rows()))
    episodes = nodes.episode_rows(told.headers)
    yield from _chunked(EPISODE_HEAD, ([row[at] for at in _SURE] for row in episodes))


@dataclass(frozen=True, slots=True)
class _Told:
    """What the ledger says at one position."""

    beliefs: Sequence[Belief]
    supports: Sequence[Support]
    headers: Mapping[str, Episode]
    attested_to: int | None


def _told(
    ledger: Ledger, tenant: str, positions: Sequence[int], subjects: Collection[str] | None
) -> list[_Told]:
    """At each of the positions; nothing at position 0."""
    sides = ledger.told(tenant, positions, subjects=subjects)
    wanted = {belief.episode_id for side in sides for belief in side.beliefs}
    wanted.update(support.episode_id for side in sides for support in side.supports)
    headers = ledger.headers(tenant, None if subjects is None else wanted)
    r.require_headers(headers, wanted, tenant)
    commits = ledger.commits(tenant)
    return [
        _Told(side.beliefs, side.supports, headers, _attested(commits, tenant, position))
        for position, side in zip(positions, sides, strict=True)
    ]


def _attested(commits: Sequence[Commit], tenant: str, position: int) -> int | None:
    if position == 0:
        return None
    return facts_of(commits, believed_at(commits, tenant, position))["attested_to"]


def _edges(told: _Told, nodes: Nodes) -> Iterator[Rows]:
    objects: dict[str, str] = {}
    rows: dict[Shape, list[Row]] = {BELIEF: [], ATTRIBUTE: []}
    at = forks(told.beliefs)
    for belief in told.beliefs:
        header, fork = told.headers[belief.episode_id], at.get(belief.belief_id)
        row = r.edge_row(belief, nodes.add(belief), header, told.attested_to, fork)
        row.append(len(row) - 2 - row.count(None))
        shape = ATTRIBUTE
        if belief.linked is not None:
            objects[belief.belief_id] = belief.linked
            shape = BELIEF
        some = rows[shape]
        some.append(row)
        if len(some) == CHUNK:
            yield shape, some
            rows[shape] = []
    yield from rows.items()
    yield from _chunked(CONFIRMS, _confirmations(told, nodes, objects))


def _confirmations(told: _Told, nodes: Nodes, objects: Mapping[str, str]) -> Iterator[Row]:
    for support in told.supports:
        nodes.add_support(support, objects.get(support.belief_id))
        yield _counted(r.confirms_row(support, told.attested_to), 2)


def _chunked(shape: Shape, rows: Iterator[Row]) -> Iterator[Rows]:
    while some := list(islice(rows, CHUNK)):
        yield shape, some


def _counted(row: Row, first: int) -> Row:
    return [*row, len(row) - first - row.count(None)]


def _labelled(row: Row) -> Row:
    """With no label beside its own, and the count of its properties."""
    return [*row, [], len(row) - row.count(None)]
