"""The Projection node: how far the graph is, and how far it may be read.

`position` is the believe commit that is in the graph, `watermark` the recorded instant that is
published (None before the first), `projecting` the commit of a batch that is under way or was
left unfinished. `epoch` moves whenever edges below the watermark change, `generation` whenever
the projection is dropped and begun anew. `writer` is who may write: whoever begins takes over, and
the one before stops at its next transaction (each lane of the writer has a node of its own that
its transactions lock, so none of the old one is on its way any more). `batch` is the id of the
commit at `position`: another lake has another one there.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from types import NoneType
from typing import Final, LiteralString

from neo4j import Driver, ManagedTransaction

from graph.schema import VERSION
from graph.statements import statement
from lakehouse.model.errors import ConflictError, IntegrityError
from lakehouse.stamping import system_clock

DROPPING: Final = -1
"""`projecting` while a tenant's projection is being removed."""
REPAIRING: Final = -2
"""`projecting` while it is being repaired, or a repair was left unfinished."""
_KINDS: Final = {
    "position": int, "epoch": int, "generation": int, "schema_version": int, "watermark": int,
    "projecting": int, "ledger_to": int, "attested_to": int, "digest": str, "clock": str,
    "writer": str, "batch": str, "below": bool, "snapshots": str,
}  # fmt: skip
_ALWAYS: Final = frozenset({"position", "epoch", "generation", "schema_version"})
"""Of the properties of a Projection node those that it is never without."""
LANES: Final = 2
"""Transactions of one writer that may be under way side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What one Projection node says."""

    tenant: str
    position: int
    watermark: int | None
    epoch: int
    generation: int
    digest: str
    projecting: int | None
    ledger_to: int | None
    clock: str
    attested_to: int | None
    """The recorded instant up to which the clock is the sources'; None without an import."""
    schema_version: int = VERSION
    """Of the schema that its edges were written by."""
    writer: str = ""
    batch: str = ""
    below: bool = False
    """What lies below the watermark is being changed: reads are repeated until it is done."""
    odd: tuple[str, ...] = ()
    """Properties that are not of their kind, in words."""
    unfinished: int | None = None
    """`projecting` as the batch that this state began found it."""


def read(driver: Driver, database: str, tenant: str) -> State | None:
    """The tenant's state, None when nothing was ever projected."""
    return _one(driver, database, statement("projection"), tenant=tenant)


def every(driver: Driver, database: str) -> list[State]:
    """The states of all tenants, by name."""
    records = driver.execute_query(statement("projections"), database_=database).records
    return [_state(record["projection"]) for record in records]


def place(driver: Driver, database: str, state: State) -> State:
    """Say of rows that came in by the bulk import what they are; unpublished."""
    given = {**asdict(state), "now": system_clock()}
    return _sure(_one(driver, database, statement("place_projection"), **given), state.tenant)


def begin(driver: Driver, database: str, tenant: str, position: int | None, to: int) -> State:
    """Open a batch from `position` (None: any) to believe commit `to`, and take over the writing.

    ConflictError where the position moved meanwhile, or a drop or repair began.
    """
    writer = uuid.uuid4().hex
    found = _one(
        driver,
        database,
        statement("begin_projection"),
        tenant=tenant,
        to=to,
        schema_version=VERSION,
        writer=writer,
        lanes=lanes(tenant),
        now=system_clock(),
        **{"from": position},
    )
    return _sure(found if found is not None and found.writer == writer else None, tenant)


def bump(driver: Driver, database: str, begun: State) -> None:
    """Tell readers that what is below the watermark is about to change."""
    found = _one(
        driver,
        database,
        statement("bump_epoch"),
        tenant=begun.tenant,
        writer=begun.writer,
        now=system_clock(),
    )
    _sure(found, begun.tenant)


def advancing(
    begun: State,
    *,
    to: int,
    batch: str,
    ledger_to: int,
    clock: str,
    attested_to: int | None,
    bump_epoch: bool,
    watermark: int | None,
) -> dict[str, object]:
    """What `advance` closes the batch with: nobody publishes while one is open."""
    return {
        "tenant": begun.tenant,
        "from": begun.position,
        "generation": begun.generation,
        "epoch": begun.epoch,
        "writer": begun.writer,
        "to": to,
        "batch": batch,
        "watermark": watermark,
        "odd": bool(begun.odd),
        "ledger_to": ledger_to,
        "clock": clock,
        "attested_to": attested_to,
        "bump": int(bump_epoch),
        "schema_version": VERSION,
        "now": system_clock(),
    }


def advance(driver: Driver, database: str, begun: State, parameters: dict[str, object]) -> State:
    """Close the batch: the position moves, in the last transaction."""
    found = _one(driver, database, statement("advance_projection"), **parameters)
    return _sure(found, begun.tenant)


def lanes(tenant: str) -> list[str]:
    """The ids of the nodes that a writer's lanes lock."""
    return [f"{tenant}/{lane}" for lane in range(LANES)]


def require_hold(tx: ManagedTransaction, begun: State, lane: int | None = None) -> None:
    """Lock the lane (None: all) until the transaction ends; ConflictError if it was taken over."""
    every = lanes(begun.tenant)
    held = every if lane is None else [every[lane]]
    record = tx.run(statement("hold_lanes"), lanes=held, writer=begun.writer).single(strict=True)
    if not record["held"]:
        raise ConflictError(
            f"another projector took over the graph of {begun.tenant!r}",
            remedy="Let it finish, then run again: nothing is lost or doubled.",
            tenant=begun.tenant,
        )


def set_watermark(
    driver: Driver,
    database: str,
    tenant: str,
    *,
    position: int,
    epoch: int,
    generation: int,
    reach: int,
    digest: str,
    snapshots: Mapping[str, int],
) -> State | None:
    """Publish the state that was verified; None where the graph has another one by now.

    It may be read up to `reach` (µs UTC) then, or as far as it could be before. `snapshots` are
    those it came from. Nothing is written where all of it is told already.
    """
    return _one(
        driver,
        database,
        statement("publish"),
        tenant=tenant,
        position=position,
        epoch=epoch,
        generation=generation,
        reach=reach,
        digest=digest,
        snapshots=json.dumps(dict(snapshots), sort_keys=True),
        now=system_clock(),
    )


def _one(driver: Driver, database: str, text: LiteralString, **parameters: object) -> State | None:
    records = driver.execute_query(text, parameters, database_=database).records
    if len(records) > 1:
        tenant = records[0]["projection"]["tenant"]
        raise IntegrityError(
            f"the graph holds {len(records)} Projection nodes of {tenant!r}",
            remedy=f"Delete them (MATCH (p:Projection {{tenant: '{tenant}'}}) DELETE p), then "
            f"beliefgraph run {tenant}: it makes one.",
            tenant=tenant,
        )
    return _state(records[0]["projection"]) if records else None


def _sure(found: State | None, tenant: str) -> State:
    if found is None:
        raise ConflictError(
            f"the projection of {tenant!r} was moved by somebody else meanwhile",
            remedy="Run again: it goes on from where the other one stopped.",
            tenant=tenant,
        )
    return found


def _state(node: Mapping[str, object]) -> State:
    def number(name: str) -> int | None:
        value = node.get(name)
        return value if type(value) is int else None

    return State(
        tenant=str(node["tenant"]),
        position=number("position") or 0,
        watermark=number("watermark"),
        epoch=number("epoch") or 0,
        generation=number("generation") or 0,
        digest=str(node.get("digest") or ""),
        projecting=number("projecting"),
        ledger_to=number("ledger_to"),
        clock=str(node.get("clock") or ""),
        attested_to=number("attested_to"),
        schema_version=number("schema_version") or 0,
        writer=str(node.get("writer") or ""),
        batch=str(node.get("batch") or ""),
        below=bool(node.get("below")),
        odd=tuple(_odd(node)),
        unfinished=number("unfinished"),
    )


def snapshots_of(node: Mapping[str, object]) -> dict[str, int | None] | None:
    """The lake's snapshots that a Projection node's properties tell of; None where it cannot be."""
    try:
        told = json.loads(str(node.get("snapshots") or "{}"))
    except ValueError:
        return None
    sound = isinstance(told, dict) and all(type(one) in (int, NoneType) for one in told.values())
    return told if sound else None


def _odd(node: Mapping[str, object]) -> Iterator[str]:
    for name, kind in _KINDS.items():
        value = node.get(name)
        if type(value) is not kind and (value is not None or name in _ALWAYS):
            yield f"{name} is {value!r}"
    if snapshots_of(node) is None:
        yield f"snapshots is {node['snapshots']!r}"
