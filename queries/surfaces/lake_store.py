"""What the verbs of `lake` share: the opened tables, the tenant, rows as JSON."""

from __future__ import annotations

import base64
import os
from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

from graph.server import home_from
from lakehouse.catalog import opening
from lakehouse.model import instants
from lakehouse.model.errors import InputError
from lakehouse.store import Store
from lakehouse.tables import TABLES
from queries.surfaces.composition import TENANT_VARIABLE

if TYPE_CHECKING:
    import pyarrow as pa

TABLE: Final = click.Choice(tuple(TABLES))
AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def opened_store() -> Store:
    """The tables of the lake that the environment names."""
    with opening(home_from(os.environ), os.environ) as catalog:
        return Store(catalog)


def tenant_of(given: str | None) -> str:
    """The tenant that was named, in the command or the environment; InputError for neither."""
    tenant = given or os.environ.get(TENANT_VARIABLE, "").strip()
    if not tenant:
        raise InputError(
            "no tenant was named, and the lake is never read without one",
            remedy=f"Give --tenant NAME, or set {TENANT_VARIABLE}.",
        )
    return tenant


def check_known(store: Store, tenant: str) -> None:
    """InputError for a tenant that the lake does not hold; it names those that it does."""
    from lakehouse.lake_reader import LakeReader  # noqa: PLC0415  (heavy)
    from lakehouse.stamping import system_clock  # noqa: PLC0415
    from lakehouse.vault import open_vault  # noqa: PLC0415

    vault = open_vault(home_from(os.environ), os.environ)
    known = LakeReader(store, vault, system_clock).tenants()
    if tenant not in known:
        raise InputError(
            f"unknown tenant {tenant!r}",
            remedy=f"Known ones: {', '.join(known) or 'none yet; land a source first'}.",
            tenant=tenant,
        )


def told_rows(rows: pa.Table) -> list[dict[str, object]]:
    """Rows as records for JSON."""
    return [_plain(row) for row in rows.to_pylist()]


def _plain(row: dict[str, object]) -> dict[str, object]:
    """A row for JSON: instants as text, bytes as text where they are, else as base64."""
    return {name: _value(value) for name, value in row.items()}


def _value(value: object) -> object:
    if isinstance(value, datetime):
        return instants.show(instants.from_datetime(value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    return value
