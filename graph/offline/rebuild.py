"""The whole graph from the lake: made beside the server that answers, proved, then swapped in.

Export, bulk import, a server of its own on the new store, indexes, proof of every edge: until
then the old store answers, and whatever fails leaves it as it is. Then both servers stop, one
folder takes the other's place, and the home's server starts again at its address.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from neo4j import Driver

from graph import publish, schema, server
from graph import state as states
from graph.comparison import Side
from graph.offline import bulk_import, workshop
from graph.offline.export import Exported, export
from graph.offline.plan import plan
from graph.offline.workshop import Workshop
from graph.repair import catch_up, repair
from graph.server import room
from graph.server.connection import Connection, external_from
from graph.session import connected
from graph.state import State
from graph.verify import Verified, verify
from graph.verify_last import verify_last
from lakehouse.ledger import Ledger, Progress
from lakehouse.model.errors import ConfigurationError, IntegrityError, UnavailableError
from lakehouse.stamping import system_clock


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What was made, and how long each step took, in order (seconds)."""

    tenants: tuple[str, ...]
    edges: int
    nodes: int
    seconds: Mapping[str, float]


@dataclass(slots=True)
class _Clock:
    """Tells each step when it begins, and keeps how long it took."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str, saying: str) -> Iterator[None]:
        self.progress(saying)
        began = time.monotonic()
        yield
        self.seconds[name] = time.monotonic() - began


def rebuild(ledger: Ledger, environ: Mapping[str, str], *, progress: Progress) -> Rebuilt:
    """Make the managed server's whole graph anew from the lake, every tenant's, and publish it.

    ConfigurationError with `NEO4J_URI` set, ConflictError where the graph holds tenants that the
    lake does not, IntegrityError where the new graph differs from the lake.
    """
    external = external_from(environ)
    if external is not None:
        raise ConfigurationError(
            f"{external.uri} (NEO4J_URI) is not a server that beliefgraph manages, and only the "
            "store of such a one can be swapped.",
            remedy="Rebuild in place, tenant by tenant: beliefgraph run TENANT --rebuild.",
        )
    clock = _Clock(progress)
    outer = server.up(environ, progress=progress)
    with workshop.opened(environ, progress=progress) as shop:
        with connected(outer) as driver:
            aims = plan(ledger, driver, outer.database)
        with clock.step("export", "writing the lake's rows as CSV"):
            exported = export(ledger, aims, shop.files, progress=progress)
        with clock.step("import", f"importing {exported.edges:,} edges, {exported.nodes:,} nodes"):
            _import(shop, exported, progress)
        with clock.step("start beside", "starting a second server on the new store"):
            inner = shop.up(progress=server.silent)
        with connected(inner, _second_lost) as driver:
            with clock.step("indexes", "making constraints and indexes"):
                for aim in aims:
                    states.place(driver, inner.database, aim)
                schema.ensure(driver, inner.database)
            with clock.step("verify", "comparing every edge with the lake"):
                began_at, proofs = _proved(ledger, driver, inner, outer, exported.sides, progress)
            opened = [
                state
                for proof in proofs
                if (state := _opened(ledger, driver, inner.database, began_at, proof))
            ]
        with clock.step("swap", "restarting the server with the new store"):
            shop.down()
            server.replace_store(environ, shop.layout.data, progress=progress)
    for state in _followed(ledger, outer, opened, progress):
        publish.record(ledger, state)
    return Rebuilt(
        tenants=tuple(proof.tenant for proof in proofs),
        edges=sum(proof.edges for proof in proofs),
        nodes=sum(proof.nodes for proof in proofs),
        seconds=clock.seconds,
    )


def _opened(
    ledger: Ledger, driver: Driver, database: str, began_at: int, proof: Verified
) -> State | None:
    return publish.open_to_readers(
        ledger, driver, database, proof.tenant, began_at=began_at, verified=proof
    )


def _second_lost(failed: Exception) -> UnavailableError:
    first, _, _ = str(failed).partition("\n")
    return UnavailableError(
        f"the second server, on the new store, was lost: {first}",
        remedy="The graph that answers was not touched. Was it stopped (beliefgraph down), "
        "or killed because the machine ran out of memory? Then rebuild again, or in place: "
        "beliefgraph run TENANT --rebuild.",
    )


def _import(shop: Workshop, exported: Exported, progress: Progress) -> None:
    room.require(
        shop.files, 2 * exported.size / 1e6, "the new store beside the old one",
        remedy="Make room, or rebuild in place: beliefgraph run TENANT --rebuild.",
    )  # fmt: skip
    bulk_import.run(
        shop.tool(progress),
        exported,
        heap_mb=shop.choices.heap_mb,
        off_heap_mb=shop.choices.page_cache_mb,
    )
    shutil.rmtree(shop.files)


def _proved(
    ledger: Ledger,
    driver: Driver,
    inner: Connection,
    outer: Connection,
    sides: Mapping[str, Side],
    progress: Progress,
) -> tuple[int, list[Verified]]:
    """Every tenant compared with the lake, at its newest position when that was looked at last.

    First that instant, µs UTC.
    """
    proofs = {
        tenant: _verified(ledger, driver, inner.database, tenant, progress, side)
        for tenant, side in sides.items()
    }
    with connected(outer) as old:
        began_at, newest = system_clock(), plan(ledger, old, outer.database)
    for aim in newest:
        tenant = aim.tenant
        if tenant not in proofs or aim.position > proofs[tenant].position:
            progress(f"{tenant} was believed further meanwhile; following")
            catch_up(ledger, driver, inner.database, tenant, progress=progress)
            proofs[tenant] = _verified(ledger, driver, inner.database, tenant, progress)
    return began_at, list(proofs.values())


def _followed(
    ledger: Ledger, outer: Connection, opened: Sequence[State], progress: Progress
) -> list[State]:
    """What was published in the old graph behind our last look at it is so in the new one.

    Those of the states `opened` that nothing was published beyond.
    """
    began_at = system_clock()
    at = {state.tenant: (state.position, state.watermark or 0) for state in opened}
    behind = [
        tenant
        for tenant in ledger.tenants()
        for told in ledger.publications(tenant)[-1:]
        if (told.position, told.watermark) > at.get(tenant, (0, 0))
    ]
    if behind:
        with connected(outer) as driver:
            for tenant in behind:
                progress(f"{tenant} was published further meanwhile; following")
                place = (driver, outer.database, tenant)
                catch_up(ledger, *place, progress=progress)
                found = verify_last(ledger, *place)
                publish.publish(ledger, *place, began_at=began_at, verified=found)
    return [state for state in opened if state.tenant not in behind]


def _verified(
    ledger: Ledger,
    driver: Driver,
    database: str,
    tenant: str,
    progress: Progress,
    exported: Side | None = None,
) -> Verified:
    """Compared; what CSV cannot carry, such as a list of one empty text, is mended first."""
    found = verify(ledger, driver, database, tenant, exported)
    if not found.equal:
        progress(f"{len(found.differences):,} rows of {tenant} came in altered; mending them")
        repair(ledger, driver, database, tenant, progress=progress)
        found = verify(ledger, driver, database, tenant)
    if not found.equal:
        first = f", {found.differences[0].where} first" if found.differences else ""
        raise IntegrityError(
            f"the imported graph of {tenant!r} differs from the lake in "
            f"{len(found.differences)} places{first}",
            remedy="The graph that answers was not touched. Rebuild in place: "
            f"beliefgraph run {tenant} --rebuild.",
            tenant=tenant,
        )
    return found
