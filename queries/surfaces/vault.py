"""The command `vault`: what guards the keys of data subjects, and a new key for a tenant.

Both refuse a vault that lacks keys which the lake names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict

import click

from graph.server import home_from
from lakehouse.model import instants
from lakehouse.model.counted import counted
from lakehouse.vault import Vault, open_vault
from queries.surfaces.options import AS_JSON


def checked(environ: Mapping[str, str]) -> Vault:
    """The vault, whole and with every key that the lake names; else an error of its own kind.

    IntegrityError for a file that is lost, damaged, another lake's or too old;
    ConfigurationError for a directory and for a mode that lets others read.
    """
    from lakehouse.catalog import has_lake  # noqa: PLC0415  (heavy)
    from lakehouse.iceberg import open_ledger  # noqa: PLC0415

    place = home_from(environ)
    found = open_vault(place, environ)
    found.check()
    if has_lake(place, environ):
        ledger = open_ledger(place, environ)
        for tenant in ledger.tenants():
            found.keys_by_id(tenant, ledger.subject_keys(tenant))
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
    held = checked(os.environ)
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
    version = checked(os.environ).rotate(tenant)
    click.echo(f"{tenant} has tenant key {version}; back up the vault anew")
