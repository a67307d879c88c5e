"""Progress of a command, for a person at a terminal: beside its result, never in it."""

from __future__ import annotations

import click


def say(line: str) -> None:
    """A line on standard error."""
    click.echo(f"  {line}", err=True)
