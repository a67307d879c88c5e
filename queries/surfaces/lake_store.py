"""What the verbs of `lake` share: the opened tables, the tenant, rows and values as JSON."""

from __future__ import annotations

import base64
import os
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

from graph.server import home_from
from lakehouse.model import instants
from lakehouse.model.errors import InputError
from lakehouse.store import Store, open_store
from lakehouse.tables import TABLES
from queries.surfaces.composition import TENANT_VARIABLE

if TYPE_CHECKING:
    import pyarrow as pa

    from lakehouse.lake_reader import LakeReader

TABLE: Final = click.Choice(tuple(TABLES))


def opened_store() -> Store:
    """The tables of the lake that the environment names."""
    return open_store(home_from(os.environ), os.environ)


def tenant_of(given: str | None) -> str:
    """The tenant that was named, in the command or the environment; InputError for neither."""
    tenant = given or os.environ.get(TENANT_VARIABLE, "").strip()
    if not tenant:
        raise InputError(
            "no tenant was named, and the lake is never read without one",
            remedy=f"Give --tenant NAME, or set {TENANT_VARIABLE}.",
        )
    return tenant


def reader_of(store: Store) -> LakeReader:
    """What reads the tables as values, with the keys of this home's vault."""
    from lakehouse.lake_reader import LakeReader  # noqa: PLC0415  (heavy)
    from lakehouse.stamping import system_clock  # noqa: PLC0415
    from lakehouse.vault import open_vault  # noqa: PLC0415

    return LakeReader(store, open_vault(home_from(os.environ), os.environ), system_clock)


def check_known(reader: LakeReader, tenant: str) -> None:
    """InputError for a tenant that the lake does not hold; it names those that it does."""
    known = reader.tenants()
    if tenant not in known:
        raise InputError(
            f"unknown tenant {tenant!r}",
            remedy=f"Known ones: {', '.join(known) or 'none yet; land a source first'}.",
            tenant=tenant,
        )


def told_rows(rows: pa.Table, in_micros: Collection[str] = ()) -> list[dict[str, object]]:
    """Rows as records for JSON; the columns `in_micros` hold instants, told as text."""
    return [_record(row, in_micros) for row in rows.to_pylist()]


def _record(row: dict[str, object], in_micros: Collection[str]) -> dict[str, object]:
    return {
        name: instants.show(value)
        if name in in_micros and isinstance(value, int)
        else [_record(one, in_micros) if isinstance(one, dict) else one for one in value]
        if isinstance(value, list)
        else plain(value)
        for name, value in row.items()
    }


def plain(value: object) -> object:
    """A value for JSON: an instant as text, bytes as text where they are, else as base64."""
    if isinstance(value, datetime):
        return instants.show(instants.from_datetime(value))
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode()}
    return value
