"""What the graph should hold, from the lake: every row of a tenant with its shape.

A shape says what kind of thing a row is, which of its columns name it, and how to put it in
words. Rows are the writer's (`graph.rows`) with the count of stated properties behind them, so
that a property too many in the graph is a difference as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from graph import rows as r
from graph.projector import attested_through, consumed
from graph.rows import Nodes, Row
from graph.state import State
from lakehouse.ledger import Ledger
from lakehouse.model.errors import IntegrityError
from lakehouse.model.ledger import Stage
from lakehouse.model.statements import ENTITY


@dataclass(frozen=True, slots=True)
class Shape:
    """One kind of row. Shapes of one group share their keys (a belief is an edge of one type)."""

    name: str
    group: str
    columns: tuple[str, ...]
    key_at: tuple[int, ...]
    edge: bool
    belief_at: int | None = None

    def key(self, row: Row) -> str:
        """What names the row in its group."""
        if len(self.key_at) == 1:
            return str(row[self.key_at[0]])
        return "\n".join(str(row[at]) for at in self.key_at)

    def words(self, row: Row) -> str:
        """The row as a reader of Cypher would point at it."""
        return f"({row[0]})-[:{self.name}]->({row[1]})" if self.edge else f"(:{self.name} {row[0]})"


_ENDS: Final = ("start", "end")
_COUNT: Final = ("number of properties",)
BELIEF: Final = Shape(
    "BELIEF", "belief", _ENDS + r.EDGE + _COUNT, (r.BELIEF_ID,), True, r.BELIEF_ID
)
ATTRIBUTE: Final = Shape(
    "ATTRIBUTE", "belief", _ENDS + r.EDGE + _COUNT, (r.BELIEF_ID,), True, r.BELIEF_ID
)
CONFIRMS: Final = Shape("CONFIRMS", "confirms", _ENDS + r.CONFIRMS + _COUNT, (9,), True, 8)
MENTIONS: Final = Shape("MENTIONS", "mentions", _ENDS + r.MENTIONS + _COUNT, (0, 1), True)
ENTITY_NODE: Final = Shape("Entity", "entity", r.ENTITIES + _COUNT, (0,), False)
VALUE_NODE: Final = Shape("Value", "value", r.VALUES + _COUNT, (0,), False)
EPISODE_NODE: Final = Shape("Episode", "episode", r.EPISODES + _COUNT, (0,), False)


def lake_rows(ledger: Ledger, state: State) -> Iterator[tuple[Shape, Row]]:
    """Every row that the tenant's projection at that position should hold."""
    tenant = state.tenant
    commits = ledger.commits(tenant, stage=Stage.BELIEVE)
    through = next((c.through for c in commits if c.position == state.position), None)
    if through is None:
        if state.position == 0:
            return
        raise IntegrityError(
            f"the graph of {tenant!r} stands at position {state.position}, which its ledger does "
            "not know",
            remedy="Rebuild it: it was projected from another lake.",
        )
    attested_to = attested_through(consumed(ledger, tenant, through))
    beliefs = ledger.beliefs(tenant, through=state.position)
    supports = ledger.supports(tenant, through=state.position)
    headers = ledger.headers(tenant)
    wanted = {b.episode_id for b in beliefs} | {s.episode_id for s in supports}
    r.require_headers(headers, wanted, tenant)
    nodes = Nodes(tenant)
    objects: dict[str, str] = {}
    for belief in beliefs:
        row = r.edge_row(belief, nodes.add(belief), headers[belief.episode_id], attested_to)
        linked = belief.object is not None and belief.object_kind == ENTITY
        if linked:
            objects[belief.belief_id] = str(belief.object)
        yield (BELIEF if linked else ATTRIBUTE), _counted(row, 2)
    for support in supports:
        nodes.add_support(support, objects.get(support.belief_id))
        yield CONFIRMS, _counted(r.confirms_row(support, attested_to), 2)
    for row in nodes.mention_rows():
        yield MENTIONS, _counted(row, 2)
    for row in nodes.entity_rows():
        yield ENTITY_NODE, [*row, 4]
    for row in nodes.value_rows():
        yield VALUE_NODE, _counted(row, 0)
    for row in nodes.episode_rows(headers):
        yield EPISODE_NODE, _counted(row, 0)


def _counted(row: Row, first: int) -> Row:
    return [*row, len(row) - first - row.count(None)]
