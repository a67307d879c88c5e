"""What the graph does hold: every row of a tenant, or those of some entities, read in ranges.

Ranges are cut so that each gives some thousand edges in one record (`collect`): a record of its
own for every edge costs three times as much.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from neo4j import READ_ACCESS, Driver, ManagedTransaction, Session

from graph.lake_rows import (
    ATTRIBUTE,
    BELIEF,
    CONFIRMS,
    ENTITY_NAME,
    ENTITY_NODE,
    EPISODE_HEAD,
    EPISODE_NODE,
    MENTIONS,
    VALUE_NODE,
    VALUE_TEXT,
    Rows,
    Shape,
)
from graph.rows import following, is_range, node_id, prefix, span
from graph.statements import statement

NODES: Final = 20_000
"""Nodes of a page."""
EDGES: Final = 10_000
"""Edges of a range, unless one node has more."""
STRAYS: Final = 1_000

_BY_ENTITY: Final = (
    ("read_entities", ENTITY_NODE),
    ("read_belief", BELIEF),
    ("read_attribute", ATTRIBUTE),
)
_OF_ENTITIES: Final = (
    ("belief_of", BELIEF),
    ("attribute_of", ATTRIBUTE),
    ("confirms_of", CONFIRMS),
)
_OF_NODES: Final = {
    ENTITY_NAME: "entity_names",
    VALUE_TEXT: "value_texts",
    EPISODE_HEAD: "episodes_of",
}
Wanted = Mapping[Shape, Collection[str]]
"""Ids of nodes, by what is to be known of them."""
_BY_EPISODE: Final = (
    ("read_episodes", EPISODE_NODE),
    ("read_confirms", CONFIRMS),
    ("read_mentions", MENTIONS),
)


def graph_rows(driver: Driver, database: str, tenant: str) -> Iterator[Rows]:
    """Every node and edge of the tenant, by the nodes that edges leave."""
    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        yield from _ahead(_chunks(session, tenant))


def _chunks(session: Session, tenant: str) -> Iterator[Rows]:
    start = prefix(tenant)
    for sizes, reads in (("entity_sizes", _BY_ENTITY), ("episode_sizes", _BY_EPISODE)):
        for low, high in _ranges(session, sizes, tenant):
            for name, shape in reads:
                yield shape, _ask(session, name, low=low, high=high)
    after = ""
    while page := _ask(
        session, "read_values", prefix=start, tenant=tenant, after=after, page=NODES
    ):
        yield VALUE_NODE, page
        after = page[-1][0]


def _ahead(chunks: Iterator[Rows]) -> Iterator[Rows]:
    """The same, with the server at work on the next chunk while this one is looked at."""
    with ThreadPoolExecutor(1, thread_name_prefix="reader") as pool:
        coming = pool.submit(next, chunks, None)
        while (chunk := coming.result()) is not None:
            coming = pool.submit(next, chunks, None)
            yield chunk


def graph_rows_of(
    driver: Driver, database: str, tenant: str, subjects: Collection[str], wanted: Wanted
) -> list[Rows]:
    """The edges of these entities, and of the `wanted` nodes what is sure of them."""
    ids = [node_id(tenant, one) for one in sorted(subjects)]

    def once(tx: ManagedTransaction) -> list[Rows]:
        rows: list[Rows] = []
        for some in _sized(tx, ids):
            rows += [(shape, _found(tx, name, ids=some)) for name, shape in _OF_ENTITIES]
        for shape, name in _OF_NODES.items():
            nodes = sorted(wanted.get(shape, ()))
            for start in range(0, len(nodes), NODES):
                rows.append((shape, _found(tx, name, ids=nodes[start : start + NODES])))
        return rows

    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        return session.execute_read(once)


def subjects_of(
    driver: Driver, database: str, tenant: str, beliefs: Collection[str], supports: Collection[str]
) -> set[str]:
    """The entities that edges with these ids are about, as far as the graph knows them."""
    if not beliefs and not supports:
        return set()
    start = prefix(tenant)
    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        found = _ask(session, "subjects_of_beliefs", ids=sorted(beliefs))
        found += _ask(session, "subjects_of_supports", ids=sorted(supports)) if supports else []
    return {one.removeprefix(start) for one in found if str(one).startswith(start)}


def _sized(tx: ManagedTransaction, ids: list[str]) -> Iterator[list[str]]:
    """The ids in lists that hold about `EDGES` edges each."""
    some, held = [], 0
    for start in range(0, len(ids), NODES):
        for name, edges in _found(tx, "sizes_of_entities", ids=ids[start : start + NODES]):
            some.append(name)
            held += 1 + edges
            if held >= EDGES:
                yield some
                some, held = [], 0
    if some:
        yield some


def holds(driver: Driver, database: str, tenant: str) -> bool:
    """True when there is any entity or episode of the tenant."""
    found = driver.execute_query(
        statement("holds"), prefix=prefix(tenant), database_=database
    ).records
    return bool(found[0]["found"])


def strays(driver: Driver, database: str, tenant: str) -> list[tuple[str, str, str, str]]:
    """Edges into the tenant's nodes from outside: type, belief_id, start, end; the first 1,000."""
    with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
        found = _ask(session, "read_strays", prefix=prefix(tenant), tenant=tenant, limit=STRAYS)
    return [(str(name), str(belief or ""), str(a), str(b)) for name, belief, a, b in found]


def _ranges(session: Session, name: str, tenant: str) -> Iterator[tuple[str, str]]:
    start, stop = span(tenant)
    while page := _ask(session, name, **{"from": start}, stop=stop, page=NODES):
        low, high, held = page[0][0], page[0][0], 0
        for one, edges in page:
            if held >= EDGES or not is_range(low, one):
                yield low, high
                low, held = one, 0
            high = one
            held += 1 + edges
        yield low, high
        start = following(page[-1][0])


def _ask(session: Session, name: str, **parameters: object) -> list[Any]:
    return session.execute_read(lambda tx: _found(tx, name, **parameters))


def _found(tx: ManagedTransaction, name: str, **parameters: object) -> list[Any]:
    return list(tx.run(statement(name), parameters).single(strict=True)["found"])
