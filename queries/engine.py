"""An engine answers: it opens views, and answers many questions at once.

How a question's settings are taken is the same for all of them and stands here; where the answer
comes from is theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Generic, TypeVar

from lakehouse.keys import check_tenant
from lakehouse.model.listeners import Listeners
from queries import names
from queries.basis import Asked, Basis, Instant, asked

Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a bulk read: a key at a pair of instants (µs UTC), for a listener."""

    entity: str
    predicate: str
    valid_at: int
    known_at: int
    listener: str = "trust>=0"


@dataclass(frozen=True, slots=True)
class Reply:
    """Each believed value with the statements that support it; `<erased>` has none.

    `basis.known_at` is what it was answered at, `basis.asked_known_at` says if that is less
    than was asked.
    """

    question: Question
    basis: Basis
    values: Mapping[str, frozenset[str]]


class Engine(ABC, Generic[Opened]):
    """Whatever answers as `Memory` does."""

    def view(
        self,
        tenant: str,
        *,
        valid_at: Instant | None = None,
        known_at: Instant | None = None,
        listener: str = "trust>=0",
        clearance: int | str,
        strict: bool = False,
        zone: tzinfo | None = None,
    ) -> Opened:
        """A view at one basis.

        `valid_at` is now by default, `known_at` the watermark; a date is a midnight of `zone`
        (UTC by default). `clearance` is what the reader may see, 0 to 3 or by name, and has no
        default here. InputError for an unknown tenant or listener, UnavailableError before the
        first publication, ConflictError for a strict `known_at` above the watermark.
        """
        check_tenant(tenant)
        settings = asked(
            tenant,
            self._listeners(tenant),
            valid_at=valid_at,
            known_at=known_at,
            listener=listener,
            clearance=clearance,
            strict=strict,
            zone=zone,
        )
        return self._view(settings)

    def believed(
        self,
        tenant: str,
        questions: Sequence[Question],
        *,
        clearance: int | str,
        strict: bool = False,
    ) -> list[Reply]:
        """Many questions at once, each its own answer at its own basis, in the given order.

        Errors are those of `view`.
        """
        check_tenant(tenant)
        for question in questions:
            names.text("id", question.entity)
            names.text("predicate", question.predicate)
        listeners = self._listeners(tenant)
        settings = [
            asked(
                tenant,
                listeners,
                valid_at=question.valid_at,
                known_at=question.known_at,
                listener=question.listener,
                clearance=clearance,
                strict=strict,
            )
            for question in questions
        ]
        return list(self._replies(tenant, questions, settings)) if questions else []

    @abstractmethod
    def tenants(self) -> list[str]:
        """The tenants that can be asked about."""

    @abstractmethod
    def _listeners(self, tenant: str) -> Listeners:
        """The rules that the tenant's questions may name."""

    @abstractmethod
    def _view(self, settings: Asked) -> Opened:
        """A view of these settings' tenant."""

    @abstractmethod
    def _replies(
        self, tenant: str, questions: Sequence[Question], settings: Sequence[Asked]
    ) -> Iterable[Reply]:
        """The replies in the order of the questions, of which there is at least one."""
