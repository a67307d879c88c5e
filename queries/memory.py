"""Memory is what was believed, when, and from where: it opens views, and answers in bulk.

It reads the graph alone. What the graph cannot know, the tenants' declared listeners, is given
by whoever composes it (from the ledger's definitions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Final

from neo4j import Driver

from graph.rows import node_id
from lakehouse.model.beliefs import ERASED
from lakehouse.model.listeners import Listeners
from queries.basis import Asked, Basis, reaching, settle
from queries.engine import Engine, Question, Reply
from queries.reading import Found, Reader
from queries.statements import asked_by
from queries.view import View

Listening = Callable[[str], Listeners]
"""The listeners of a tenant."""

CHUNK: Final = 1_000
"""Questions a statement."""


class Memory(Engine[View]):
    """Reads a projected graph. Use it as a context manager when it shall close the driver."""

    def __init__(
        self,
        driver: Driver,
        database: str | None = None,
        *,
        listeners: Listening | None = None,
        close: Callable[[], object] | None = None,
    ) -> None:
        """`listeners` gives a tenant's; without it only *trust >= n* is known.

        `close` is called on leaving; without it the driver is closed.
        """
        self._reader = Reader(driver, database)
        self._listening = listeners or _trust_alone
        self._close = close or driver.close

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def tenants(self) -> list[str]:
        """The tenants that the graph holds."""
        return self._reader.tenants()

    def _listeners(self, tenant: str) -> Listeners:
        return self._listening(tenant)

    def _view(self, settings: Asked) -> View:
        basis = settle(settings, self._reader.state(settings.tenant))
        return View(self._reader, basis, pinned=settings.known_at is not None)

    def _replies(
        self, tenant: str, questions: Sequence[Question], settings: Sequence[Asked]
    ) -> Iterator[Reply]:
        for first in range(0, len(questions), CHUNK):
            chunk = slice(first, first + CHUNK)
            yield from self._chunk(tenant, questions[chunk], settings[chunk])

    def _chunk(
        self, tenant: str, questions: Sequence[Question], settings: Sequence[Asked]
    ) -> Iterator[Reply]:
        state = self._reader.state(tenant)
        bases = [settle(one, state) for one in settings]
        found = self._reader.read(
            tenant,
            asked_by("believed", "q"),
            {
                "clearance": settings[0].clearance,
                "questions": [
                    {
                        "number": number,
                        "entity": node_id(tenant, question.entity),
                        "predicate": question.predicate,
                        "valid_at": basis.valid_at,
                        "known_at": basis.known_at,
                        "listener": basis.listener_bit,
                    }
                    for number, (question, basis) in enumerate(zip(questions, bases, strict=True))
                ],
            },
        )
        return _in_order(questions, settings, bases, found)


def _in_order(
    questions: Sequence[Question],
    settings: Sequence[Asked],
    bases: Sequence[Basis],
    found: Found,
) -> Iterator[Reply]:
    by_number = dict(found.rows)
    for number, question in enumerate(questions):
        # The state is the one that was read from; a higher watermark meanwhile lowers no less.
        reaching(bases[number], found.state)
        basis = settle(settings[number], found.state)
        if basis.known_at != bases[number].known_at:
            basis = bases[number]
        yield Reply(question, basis, _values(by_number[number]))


def _values(rows: Sequence[Sequence[Any]]) -> dict[str, frozenset[str]]:
    values: dict[str, frozenset[str]] = {}
    for value, kind, origin, further in rows:
        if kind == "erased":
            values.setdefault(ERASED, frozenset())
        else:
            values[value] = values.get(value, frozenset()) | {origin, *further}
    return values


def _trust_alone(tenant: str) -> Listeners:
    return Listeners()
