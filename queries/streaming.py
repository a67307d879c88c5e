"""The whole state as a stream: column by column, a page of entities at a time, at one basis.

However large the state, memory holds a few pages. Whether all of them were of one state is known at
the end: the epoch is compared from page to page, and a stream that saw it move ends with an error.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from graph.rows import is_range, span
from lakehouse.model.beliefs import ERASED
from lakehouse.model.errors import UnavailableError
from queries.basis import Basis, reaching
from queries.statements import verb

if TYPE_CHECKING:
    from queries.reading import Reader

PAGE = 2_000
"""Entities of a page."""
AHEAD = 2
"""Pages that are read beside each other."""


class States(NamedTuple):
    """Columns of equal length, a row a believed edge. Instants are µs UTC."""

    subject: list[str]
    predicate: list[str]
    object: list[str]
    object_kind: list[str]
    valid_from: list[int]
    valid_to: list[int]
    recorded_from: list[int]
    trust: list[int]
    origin: list[str]
    episode: list[str]


_Page = tuple[States, tuple[int, int]]
"""A page, and the epoch and generation that it was read at."""


def stream(reader: Reader, basis: Basis, page: int = PAGE) -> Iterator[States]:
    """The pages in the order of the subjects' ids; UnavailableError where the graph changed.

    ConflictError where the graph was begun anew and does not reach the basis yet.
    The server works on the next pages while one is looked at.
    """
    seen = None
    with ThreadPoolExecutor(AHEAD, thread_name_prefix="pages") as pool:
        for told, mark in _ahead(pool, partial(_page, reader, basis), _ranges(reader, basis, page)):
            if seen not in (None, mark):
                raise UnavailableError(
                    "the graph was changed below its watermark while its state was read",
                    remedy="Read the state again; what was read so far is no single state.",
                )
            seen = mark
            if told.subject:
                yield told


def _ahead(
    pool: ThreadPoolExecutor, read: Callable[[str, str], _Page], ranges: Iterator[tuple[str, str]]
) -> Iterator[_Page]:
    """The pages of these ranges in their order, some of them read beside each other."""
    coming: deque[Future[_Page]] = deque()
    for low, high in ranges:
        coming.append(pool.submit(read, low, high))
        if len(coming) > AHEAD:
            yield coming.popleft().result()
    while coming:
        yield coming.popleft().result()


def _ranges(reader: Reader, basis: Basis, page: int) -> Iterator[tuple[str, str]]:
    """From the id of one entity up to that of another, some entities on; together they are all."""
    low, stop = span(basis.tenant)
    high: str = low
    while high != stop:
        given = {"from": high, "stop": stop, "page": page}
        high = reader.read(basis.tenant, verb("next_page"), given).rows or stop
        if is_range(low, high):
            yield low, high
            low = high


def _page(reader: Reader, basis: Basis, low: str, high: str) -> _Page:
    found = reader.read(basis.tenant, verb("state"), {**basis.rule, "from": low, "stop": high})
    reaching(basis, found.state)
    return columns(found.rows), (found.state.epoch, found.state.generation)


def columns(found: Sequence[list[Any]]) -> States:
    """Columns as `cypher/columns.cypher` gives them."""
    told = States(*found)
    if "erased" not in told.object_kind:
        return told
    pairs = zip(told.object, told.object_kind, strict=True)
    return told._replace(object=[ERASED if kind == "erased" else text for text, kind in pairs])
