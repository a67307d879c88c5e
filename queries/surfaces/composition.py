"""Where the reading commands get their parts: the one place that puts a Memory together.

It reads an environment that is handed in. The ledger is opened only for a listener that the
tenant itself declared; *trust >= n* is known without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from graph.server import connection_from, home_from
from graph.session import open_driver
from lakehouse.model.errors import InputError, UnavailableError
from lakehouse.model.listeners import Listeners
from queries.memory import Listening, Memory

if TYPE_CHECKING:
    from queries.lake import LakeMemory

TENANT_VARIABLE = "BELIEFGRAPH_TENANT"
ENGINES: Final = ("graph", "lake")
"""What can answer; both give the same answers."""


@contextmanager
def opened_engine(
    engine: str, environ: Mapping[str, str], listener: str
) -> Iterator[Memory | LakeMemory]:
    """A Memory over the graph, or over the lake without any server."""
    if engine == "lake":
        from queries.lake import LakeMemory  # noqa: PLC0415  (heavy, and seldom needed)

        yield LakeMemory(home_from(environ), environ)
        return
    with opened(environ, listener) as memory:
        yield memory


@contextmanager
def opened(environ: Mapping[str, str], listener: str = "trust>=0") -> Iterator[Memory]:
    """A Memory over the graph that `environ` names, for questions of that listener."""
    connection = connection_from(environ)
    driver = open_driver(connection)
    with Memory(driver, connection.database, listeners=listening(environ, listener)) as memory:
        yield memory


def listening(environ: Mapping[str, str], listener: str) -> Listening:
    """The listeners of a tenant, as far as they are needed to know that one."""
    always = Listeners()
    try:
        always.bit(listener)
    except InputError:
        return lambda tenant: declared(environ, tenant)
    return lambda _: always


def declared(environ: Mapping[str, str], tenant: str) -> Listeners:
    """The listeners that the tenant declared, from the ledger's definitions."""
    from lakehouse.iceberg import open_ledger  # noqa: PLC0415  (heavy, and seldom needed)

    ledger = open_ledger(home_from(environ), environ)
    return Listeners.from_record(ledger.definitions(tenant, "listeners").get("listeners"))


def default_tenant(memory: Memory | LakeMemory, environ: Mapping[str, str]) -> str:
    """`BELIEFGRAPH_TENANT`, else the only tenant there is; InputError lists them where several."""
    named = environ.get(TENANT_VARIABLE, "").strip()
    if named:
        return named
    tenants = memory.tenants()
    if len(tenants) == 1:
        return tenants[0]
    if not tenants:
        raise UnavailableError(
            "no tenant is published yet",
            remedy="Run `beliefgraph run TENANT --land`: it lands, projects and publishes.",
        )
    raise InputError(
        "there are several tenants: " + ", ".join(tenants),
        remedy=f"Name one with --tenant, or set {TENANT_VARIABLE}.",
    )
