"""The local stack's commands: up, down, status. They parse and render; `graph.server` acts."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Final

import click

from graph import server

_AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _say(sentence: str) -> None:
    """Progress goes beside the result, never into it."""
    click.echo(sentence, err=True)


def _print_json(record: dict[str, object]) -> None:
    click.echo(json.dumps(record, indent=2, default=_plain))


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)


@click.command()
@click.option(
    "--memory",
    metavar="SIZE",
    help="Java heap and page cache together, such as 768m or 2g "
    "[default: a quarter of the machine, at most 1g].",
)
@_AS_JSON
def up(memory: str | None, as_json: bool) -> None:
    """Start the local Neo4j server, or find it running.

    It listens on this machine only, outlives this command, and keeps its data, its log and
    its generated password under BELIEFGRAPH_HOME. The first start downloads it (180 MB).
    With NEO4J_URI set, that server is used and none is started.

    \b
    Example:
      beliefgraph up --memory 2g
    """
    connection = server.up(os.environ, memory=memory, progress=_say)
    if as_json:
        _print_json(
            {
                "uri": connection.uri,
                "username": connection.username,
                "database": connection.database,
                "managed": connection.managed,
            }
        )
    else:
        click.echo(connection.uri)


@click.command()
@_AS_JSON
def down(as_json: bool) -> None:
    """Stop the local Neo4j server, if one runs; touch no other.

    \b
    Example:
      beliefgraph down
    """
    stopped = server.down(os.environ, progress=_say)
    if as_json:
        _print_json({"stopped": stopped})
    else:
        click.echo("stopped" if stopped else "nothing was running")


@click.command()
@_AS_JSON
def status(as_json: bool) -> None:
    """Tell whether the Neo4j server runs, where, and since when.

    The state is running, stopped, stale (it ended without being stopped) or external
    (NEO4J_URI is set).

    \b
    Example:
      beliefgraph status --json
    """
    found = server.status(os.environ)
    if as_json:
        _print_json(asdict(found))
        return
    rows: list[tuple[str, str | int | datetime | Path | None]] = [
        ("state", found.state),
        ("uri", found.uri),
        ("process", found.pid),
        ("version", found.version),
        ("started", found.started_at.isoformat(timespec="seconds") if found.started_at else None),
        ("memory", found.memory),
        ("home", found.home),
        ("log", found.log),
    ]
    for name, value in rows:
        if value is not None:
            click.echo(f"{name:8} {value}")
