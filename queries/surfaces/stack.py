"""The local stack's commands: up, down, status. They parse and render.

`graph.server` runs Neo4j, `lakehouse.seaweed` the S3 server for those who ask for one.
"""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from graph import server
from lakehouse import seaweed
from queries.surfaces.options import AS_JSON


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
    "[default: what was asked last, else a quarter of the machine, at most 1g: `auto`].",
)
@click.option(
    "--neo4j",
    type=click.Choice(list(server.RELEASES)),
    help="Which Neo4j [default: what was asked last, else the first].",
)
@click.option("--s3", "with_s3", is_flag=True, help="Start a local S3 server for the lake too.")
@AS_JSON
def up(memory: str | None, neo4j: str | None, with_s3: bool, as_json: bool) -> None:
    """Start the local Neo4j server, or find it running; with --s3 an S3 server beside it.

    It listens on this machine only, outlives this command, and keeps its data, its log and
    its generated password under BELIEFGRAPH_HOME. The first start downloads it (180 MB).
    With NEO4J_URI set, that server is used and none is started. Memory and version are kept
    for later starts; a graph that another version made is made again from the lake (rebuild).

    The S3 server (SeaweedFS, with an Iceberg REST catalog) keeps what it holds there too. The
    lake moves to it for whoever sets PYICEBERG_HOME to the folder that is printed; what was
    landed before stays where it is.

    Ctrl-C while they start leaves running what ran before, and nothing else.

    \b
    Example:
      beliefgraph up --memory 2g
      beliefgraph up --neo4j 5.26
      beliefgraph up --s3
    """
    s3, started = _up_s3() if with_s3 else (None, False)
    try:
        connection = server.up(os.environ, memory=memory, neo4j=neo4j, progress=_say)
    except KeyboardInterrupt:
        if started:
            seaweed.down(os.environ, progress=_say)
        raise
    if as_json:
        record: dict[str, object] = {
            "uri": connection.uri,
            "username": connection.username,
            "database": connection.database,
            "managed": connection.managed,
        }
        if s3:
            record["s3"] = {
                "endpoint": s3.endpoint,
                "catalog": s3.catalog,
                "pyiceberg_home": s3.settings.parent,
            }
        _print_json(record)
        return
    click.echo(connection.uri)
    if s3:
        click.echo(s3.endpoint)
        _say(
            f"to keep the lake there: export PYICEBERG_HOME={shlex.quote(str(s3.settings.parent))}"
        )


def _up_s3() -> tuple[seaweed.S3Server, bool]:
    """The S3 server, and whether it is we who started it."""
    before = seaweed.status(os.environ)
    found = seaweed.up(os.environ, progress=_say)
    return found, before is None or before.state != "running"


@click.command()
@AS_JSON
def down(as_json: bool) -> None:
    """Stop the local servers, Neo4j and S3, if they run; touch no other.

    \b
    Example:
      beliefgraph down
    """
    graph_stopped = server.down(os.environ, progress=_say)
    stopped = seaweed.down(os.environ, progress=_say) or graph_stopped
    if as_json:
        _print_json({"stopped": stopped})
    else:
        click.echo("stopped" if stopped else "nothing was running")


@click.command()
@AS_JSON
def status(as_json: bool) -> None:
    """Tell whether the local servers run, where, and since when.

    The state is running, stopped, stale (it ended without being stopped) or external
    (NEO4J_URI is set). The S3 server is told of where `up --s3` has started one.

    \b
    Example:
      beliefgraph status --json
    """
    found, s3 = server.status(os.environ), seaweed.status(os.environ)
    if as_json:
        _print_json({**asdict(found), **({"s3": asdict(s3)} if s3 else {})})
        return
    _print_rows(
        ("state", found.state),
        ("uri", found.uri),
        ("process", found.pid),
        ("version", found.version),
        ("started", _second(found.started_at)),
        ("memory", found.memory),
        ("home", found.home),
        ("ended", found.ended),
        ("log", found.log),
    )
    if s3:
        _print_rows(
            ("s3", s3.state),
            ("endpoint", s3.endpoint),
            ("catalog", s3.catalog),
            ("process", s3.pid),
            ("started", _second(s3.started_at)),
            ("settings", s3.settings),
            ("log", s3.log),
        )


def _print_rows(*rows: tuple[str, str | int | Path | None]) -> None:
    for name, value in rows:
        if value is not None:
            click.echo(f"{name:8} {value}")


def _second(instant: datetime | None) -> str | None:
    return instant.isoformat(timespec="seconds") if instant else None
