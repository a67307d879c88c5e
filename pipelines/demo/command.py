"""`beliefgraph demo`: real time-zone history through the whole line, then questions about it.

The questions are asked through the command itself, as a user would ask them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from graph import server
from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import UnavailableError
from pipelines.commands import run_line
from pipelines.demo.episodes import write_episodes
from pipelines.demo.releases import fetch
from pipelines.progress import say
from pipelines.runs import LandConfig, Ran
from pipelines.sources import declared

SOURCE: Final = "tzdata"
MEXICO: Final = ("ask", "zone:America/Mexico_City", "utc_offset", "--tenant", SOURCE)
AT_PLUS_6: Final = ("ask", "--who", "has_zone/utc_offset=+06:00", "--tenant", SOURCE)
QUESTIONS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    (
        "Mexico gave up daylight saving time at the end of October 2022. What was believed of "
        "June 2023 before that was known?",
        (*MEXICO, "--valid-at", "2023-06-01", "--known-at", "2022-10-01"),
    ),
    (
        "The same day of the world, as known two months later:",
        (*MEXICO, "--valid-at", "2023-06-01", "--known-at", "2022-12-01"),
    ),
    (
        "As known on 1 October again, and another day of the world:",
        (*MEXICO, "--valid-at", "2023-01-15", "--known-at", "2022-10-01"),
    ),
    (
        "Two hops at one pair of instants: which countries have a zone at UTC+6 on 1 June 2024, "
        "as known in January?",
        (*AT_PLUS_6, "--valid-at", "2024-06-01", "--known-at", "2024-01-15"),
    ),
    (
        "And as known in March, after Kazakhstan had decided for one time zone?",
        (*AT_PLUS_6, "--valid-at", "2024-06-01", "--known-at", "2024-03-01"),
    ),
)


@click.command()
def demo() -> None:
    """Land 32 releases of the tz database and ask what was believed when.

    Each release is what the world's time-zone rules were believed to be when it came out, so
    valid time and recorded time are both real. A second run changes nothing and says so.

    \b
    Example:
      beliefgraph demo
    """
    seconds: dict[str, float] = {}
    open_ledger(server.home_from(os.environ), os.environ)  # A store that is down is told first.
    with timed("server up", seconds):
        connection = server.up(os.environ, progress=say)
    with timed("releases fetched and read", seconds):
        _prepare(server.home_from(os.environ) / "demo")
    with timed("land, extract, believe, project, prove, publish", seconds):
        sources = {SOURCE: declared(os.environ)[SOURCE]}
        ran = run_line(SOURCE, sources, {SOURCE: LandConfig()})
    _report(ran, seconds)
    for words, question in QUESTIONS:
        _ask(words, question)
    click.echo(_WHAT_NEXT.format(uri=connection.uri))


@contextmanager
def timed(name: str, into: dict[str, float]) -> Iterator[None]:
    """Remember how many seconds the block took."""
    began = time.monotonic()
    yield
    into[name] = time.monotonic() - began


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wheels = folder / "wheels"
    fetch(wheels, lambda done, total, what: say(f"{what} ({done} of {total})"))
    if not write_episodes(wheels, folder / "tzdata.jsonl.gz", _say_release):
        say("episodes of 32 releases are written already")


def _say_release(done: int, total: int, what: str) -> None:
    if done in (1, total) or done % 8 == 0:
        say(f"{what} ({done} of {total})")


def _report(ran: Ran, seconds: dict[str, float]) -> None:
    names = (
        ("landed", "episodes landed"),
        ("duplicates", "episodes known already"),
        ("statements", "statements extracted"),
        ("edges_opened", "edges opened in the graph"),
        ("edges_closed", "edges closed"),
    )
    click.echo()
    for name, words in names:
        click.echo(f"{ran.total(name):>10,}  {words}")
    for name, took in seconds.items():
        click.echo(f"{took:>10.1f}  s  {name}")
    if not ran.total("landed") and not ran.total("statements"):
        click.echo("Nothing was new: lake and graph are as they were.")


def _ask(words: str, question: tuple[str, ...]) -> None:
    click.echo(f"\n{words}\n\n$ beliefgraph {' '.join(question)}")
    answer = subprocess.run(
        [str(Path(sys.executable).parent / "beliefgraph"), *question],
        text=True,
        capture_output=True,
        check=False,
    )
    if answer.returncode:
        raise UnavailableError(
            f"the question could not be asked: {answer.stderr.strip()}",
            remedy="Ask it by hand, then: beliefgraph doctor.",
        )
    click.echo(answer.stdout.rstrip())


_WHAT_NEXT: Final = """
What to type next (in .venv/bin, where `make demo` put the command):

  beliefgraph ask zone:Asia/Beirut --tenant tzdata --valid-at 2023-03-28 --known-at 2023-03-25
  beliefgraph ask --help
  beliefgraph run plant --land
  beliefgraph down

The graph answers Cypher at {uri}; README.md shows the same question there."""
