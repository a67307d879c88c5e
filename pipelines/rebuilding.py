"""The command `rebuild`: the managed server's whole graph made anew from the lake."""

from __future__ import annotations

import json
import os
from dataclasses import asdict

import click

from graph.offline.rebuild import rebuild as rebuild_graph
from graph.server import home_from
from lakehouse.iceberg import open_ledger
from pipelines.progress import say


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rebuild(as_json: bool) -> None:
    """Make the whole graph again from the lake, beside the one that answers, and swap them.

    For the managed server, all tenants at once. The old graph answers until every edge of the
    new one was compared with the lake; then the server restarts, and questions fail for as long
    as `swap` is told to have taken: seconds, on a busy machine a minute. What fails before that,
    Ctrl-C included, leaves the old graph as it was. With NEO4J_URI set, use `run TENANT
    --rebuild`, which works in place on any server.

    \b
    Example:
      beliefgraph rebuild
    """
    ledger = open_ledger(home_from(os.environ), os.environ)
    done = rebuild_graph(ledger, os.environ, progress=say)
    if as_json:
        click.echo(json.dumps(asdict(done), indent=2))
        return
    for name, seconds in done.seconds.items():
        click.echo(f"{name:14} {seconds:8.1f} s")
    total = sum(done.seconds.values())
    click.echo(
        f"{'in all':14} {total:8.1f} s: {done.edges:,} edges and {done.nodes:,} nodes of "
        f"{', '.join(done.tenants)}, equal to the lake"
    )
