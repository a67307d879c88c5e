"""The command `vault`: what guards the keys of data subjects, and a new key for a tenant."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from graph.server import home_from
from lakehouse.model import instants
from lakehouse.vault import Vault, open_vault


def _opened() -> Vault:
    return open_vault(home_from(os.environ), os.environ)


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
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(as_json: bool) -> None:
    """Tell where the vault lies and what it holds of each tenant."""
    held = _opened()
    held.check()
    states = held.status()
    if as_json:
        record = {"path": str(held.path), "tenants": [asdict(one) for one in states]}
        click.echo(json.dumps(record, indent=2))
        return
    click.echo(f"vault     {held.path}")
    for one in states:
        click.echo(
            f"{one.tenant}: {one.living:,} keys, {one.destroyed:,} destroyed; tenant key "
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
    version = _opened().rotate(tenant)
    click.echo(f"{tenant} has tenant key {version}; back up the vault anew")
