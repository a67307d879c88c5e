"""The command `vault`: what guards the keys of data subjects, and a new key for a tenant.

Both refuse a vault that lacks keys which the lake names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from graph.server import home_from
from lakehouse.model import instants
from lakehouse.model.counted import counted
from lakehouse.vault import Vault, open_vault
from queries.surfaces.options import AS_JSON

if TYPE_CHECKING:
    from lakehouse.iceberg import IcebergLedger


def whole(environ: Mapping[str, str]) -> Vault:
    """The vault, with its file looked at.

    IntegrityError for a file that is damaged, ConfigurationError for a directory and for a mode
    that lets others read.
    """
    found = open_vault(home_from(environ), environ)
    found.check()
    return found


def check_keys(held: Vault, ledger: IcebergLedger | None) -> None:
    """IntegrityError where the vault, lost or too old, lacks a key that the lake names."""
    if ledger is None:
        return
    for tenant in ledger.tenants():
        held.keys_by_id(tenant, ledger.subject_keys(tenant))


def _checked() -> Vault:
    from lakehouse.iceberg import find_ledger  # noqa: PLC0415  (heavy; --help needs none of it)

    found = whole(os.environ)
    check_keys(found, find_ledger(home_from(os.environ), os.environ))
    return found


@click.group()
def vault() -> None:
    """Show the vault of payload keys, or give a tenant's keys a new wrapping.

    The vault is one file, apart from the lake. Back it up: without it nobody can read the
    payloads that its keys encrypted.

    \b
    Example:
      beliefgraph vault status
    """


@vault.command()
@AS_JSON
def status(as_json: bool) -> None:
    """Tell where the vault lies and what it holds of each tenant."""
    held = _checked()
    states = held.status()
    if as_json:
        record = {"path": str(held.path), "tenants": [asdict(one) for one in states]}
        click.echo(json.dumps(record, indent=2))
        return
    click.echo(f"vault     {held.path}")
    for one in states:
        click.echo(
            f"{one.tenant}: {counted(one.living, 'key')}, {one.destroyed:,} destroyed; tenant key "
            f"{one.version} of {instants.show(one.made_at)}, guarded by {one.guard}"
        )
    if not states:
        click.echo("nothing is encrypted yet")


@vault.command()
@click.argument("tenant")
def rotate(tenant: str) -> None:
    """Make a new tenant key and wrap the tenant's subject keys by it; payloads stay as they are.

    The new key is guarded by AWS KMS where BELIEFGRAPH_VAULT_KMS_KEY names a key, else by the
    file's mode. An older backup of the vault still opens what was landed before it was taken.

    \b
    Example:
      beliefgraph vault rotate plant
    """
    version = _checked().rotate(tenant)
    click.echo(f"{tenant} has tenant key {version}; back up the vault anew")
