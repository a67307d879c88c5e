"""The whole state as a stream: column by column, a page of entities at a time, at one basis.

However large the state, memory holds a page. Whether all pages were of one state is known at the
end: the epoch is compared from page to page, and a stream that saw it move ends with an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from graph.rows import following, span
from lakehouse.model.beliefs import ERASED
from lakehouse.model.errors import UnavailableError
from queries.basis import Basis
from queries.statements import verb

if TYPE_CHECKING:
    from queries.reading import Reader

PAGE = 2_000
"""Entities of a page."""


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


def stream(reader: Reader, basis: Basis, page: int = PAGE) -> Iterator[States]:
    """The pages in the order of the subjects' ids; UnavailableError where the graph changed."""
    (start, stop), seen = span(basis.tenant), None
    while True:
        given = {**basis.rule, "from": start, "stop": stop, "page": page}
        found = reader.read(basis.tenant, verb("state"), given)
        mark = (found.state.epoch, found.state.generation)
        if seen not in (None, mark):
            raise UnavailableError(
                "the graph was changed below its watermark while its state was read",
                remedy="Read the state again; what was read so far is no single state.",
            )
        seen = mark
        last, told = found.rows
        if last is None:
            return
        start = following(last)
        yield columns(told)


def columns(found: Sequence[list[Any]]) -> States:
    """Columns as `cypher/columns.cypher` gives them."""
    told = States(*found)
    if "erased" not in told.object_kind:
        return told
    pairs = zip(told.object, told.object_kind, strict=True)
    return told._replace(object=[ERASED if kind == "erased" else text for text, kind in pairs])
