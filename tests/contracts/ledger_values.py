"""Short makers of the values that a ledger keeps, and a clock that the test turns."""

from __future__ import annotations

from typing import Any

from lakehouse.model.beliefs import Belief, Support
from lakehouse.model.episodes import Episode, Refusal
from lakehouse.model.ledger import Extracted, Stage
from lakehouse.model.statements import Operation, Statement
from lakehouse.stamping import Draft, Entry, enter, system_clock

NOON = 1_700_000_000_000_000
"""When the turned clock starts (µs UTC)."""
HOUR = 3_600_000_000


class TurnedClock:
    """A clock that stands still until it is turned."""

    def __init__(self, instant: int = NOON) -> None:
        self.instant = instant

    def __call__(self) -> int:
        return self.instant


def episode(name: str, payload: bytes = b"{}", tenant: str = "t", **more: Any) -> Episode:
    """An episode of source `chat` about record `r-<name>`."""
    settings: dict[str, Any] = {"source": "chat", "source_key": f"r-{name}"} | more
    return Episode(tenant=tenant, episode_id=name, payload=payload, **settings)


def refusal(place: str, tenant: str = "t", stage: str = "land") -> Refusal:
    """A refused line."""
    return Refusal(
        tenant=tenant,
        source="chat",
        stage=stage,
        location=place,
        field="valid_from",
        reason="not an instant",
        raw=b"\xff not text",
    )


def statement(name: str, tenant: str = "t", **more: Any) -> Statement:
    """An assertion of episode `e-<name>` about subject `S`."""
    settings: dict[str, Any] = {
        "op": Operation.ASSERT,
        "recorded_at": 0,
        "seq": 0,
        "episode_id": f"e-{name}",
        "subject": "S",
        "predicate": "state",
        "object": "on",
        "object_kind": "string",
        "source": "chat",
    } | more
    return Statement(tenant=tenant, statement_id=name, **settings)


def undoing(name: str, target: str, **more: Any) -> Statement:
    """A withdrawal, which has no subject."""
    plain: dict[str, Any] = {"op": Operation.WITHDRAW, "subject": "", "predicate": ""}
    return statement(name, **{**plain, "object": None, "target": target, **more})


def extracted(*statements: Statement) -> list[Extracted]:
    """Statements as an extractor hands them over."""
    return [Extracted(said, record=f"r-{said.statement_id}") for said in statements]


def belief(name: str, tenant: str = "t", **more: Any) -> Belief:
    """An open rectangle about subject `S`."""
    settings: dict[str, Any] = {
        "key": "k",
        "subject": "S",
        "predicate": "state",
        "object": "on",
        "object_kind": "string",
        "subject_type": "switch",
        "object_type": "",
        "valid_from": 10,
        "valid_to": 2**61 - 1,
        "recorded_from": 1,
        "heard_at": 1,
        "listeners": 15,
        "origin": "s",
        "episode_id": "e",
        "valid_from_basis": "stated",
        "trust": 2,
        "classification": 1,
        "strictest": 1,
        "opened_by": "s",
    } | more
    return Belief(tenant=tenant, belief_id=name, **settings)


def support(name: str, tenant: str = "t", **more: Any) -> Support:
    """An open box inside belief `b`."""
    settings: dict[str, Any] = {
        "belief_id": "b",
        "statement_id": "s2",
        "episode_id": "e2",
        "subject": "S",
        "valid_from": -(2**61),
        "valid_to": 2**61,
        "recorded_from": 2,
        "heard_at": 2,
        "listeners": 7,
        "trust": 1,
        "classification": 0,
    } | more
    return Support(tenant=tenant, support_id=name, **settings)


def entry_at(position: int, batch: str) -> Entry:
    """An entry of the commit log at a position of the test's choice."""
    draft = Draft(tenant="t", stage=Stage.LAND, batch_id=batch)
    made = enter([], draft, lambda: NOON + position, system_clock)
    object.__setattr__(made.commit, "position", position)
    return made
