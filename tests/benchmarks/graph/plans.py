"""The plans of the main reads, from PROFILE: where each starts, what it does, what it costs.

What is profiled is what the verbs themselves send. `python -m tests.benchmarks.graph.plans HOME`
asks the home of a set that `--keep` left, and writes the table of `graph/README.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, LiteralString

import click

from graph import state as states
from queries.memory import Memory
from queries.reading import Found, Reader
from queries.view import View
from tests.benchmarks.graph.asking import READS, Read, count_told, questions
from tests.benchmarks.graph.checking import view_at
from tests.benchmarks.graph.histories import TENANT, Shape
from tests.benchmarks.graph.rectangles import Asked
from tests.benchmarks.stack import Stack, stack
from tests.plans import Plan, as_run, hits, is_seek

MAIN: Final = {
    "key": "key",
    "entity: and what names it": "entity",
    "1 hop: neighbours": "neighbours, 1 hop",
    "1 hop: paths": "paths, 1 hop",
    "2 hops: paths": "paths, 2 hops",
    "3 hops: paths": "paths, 3 hops",
    "history of a key": "history",
    "everything from an episode": "episode",
    "diff of an entity": "diff",
    "key of many versions": "dense key",
}
"""The reads whose plans are shown, and what the page calls them."""

ASKED: Final = 50
_SILENT: Final = {
    "ProduceResults", "Projection", "Argument", "CacheProperties", "Apply", "CartesianProduct",
}  # fmt: skip
"""They pass rows on; a Projection also reads the properties that are told."""


class Noting(Reader):
    """Reads as every reader does, and profiles what it was asked to read."""

    profile: Plan

    def read(
        self,
        tenant: str,
        text: LiteralString,
        parameters: Mapping[str, object],
        **more: Any,
    ) -> Found:
        """The read, and its profile in `profile`."""
        with self._session() as session:
            told = session.run("PROFILE " + text, {"tenant": tenant, **parameters}).consume()
        assert told.profile is not None
        self.profile = told.profile
        return super().read(tenant, text, parameters, **more)


@dataclass(frozen=True, slots=True)
class Profiled:
    """One read, asked many times: a plan of it, and the means of what it cost and told."""

    name: str
    plan: Plan
    hits: float
    told: float

    def row(self) -> str:
        """A row of the page's table, without the look at the Projection node."""
        _, *does = [name for name in as_run(self.plan) if name not in _SILENT]
        steps = ", ".join(f"`{name}`" if is_seek(name) else name for name in does)
        each = f"{self.hits / self.told:,.0f}" if self.told >= 1 else "–"
        return f"| {self.name} | {steps} | {self.hits:,.0f} | {self.told:,.1f} | {each} |"


def profiled(running: Stack, shape: Shape) -> Iterator[Profiled]:
    """The main reads, one after another, each at many pairs of instants."""
    found = states.read(running.driver, running.database, TENANT)
    assert found is not None
    assert found.watermark is not None
    memory = Memory(running.driver, running.database)
    reads = {read.name: read for read in READS}
    for read in map(reads.__getitem__, MAIN):
        yield _profiled(running, memory, read, questions(read, shape, found.watermark, ASKED))


def _profiled(running: Stack, memory: Memory, read: Read, asked: Sequence[Asked]) -> Profiled:
    """All questions but the first, from which a reader learns whether a key is crowded."""
    reader = Noting(running.driver, running.database)
    cost = told = 0
    for number, one in enumerate(asked):
        answer = read.ask(View(reader, view_at(memory, one).basis, pinned=True), one)
        if number:
            cost, told = cost + hits(reader.profile), told + count_told(answer)
    many = len(asked) - 1
    return Profiled(MAIN[read.name], reader.profile, cost / many, told / many)


@click.command()
@click.argument("home", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--entities", default=100_000, show_default=True)
@click.option("--beliefs", default=1_000_000, show_default=True)
@click.option("--versions", default=10_000, show_default=True)
@click.option("--neighbours", default=10_000, show_default=True)
def write(home: Path, entities: int, beliefs: int, versions: int, neighbours: int) -> None:
    """Write the rows of the page's table for HOME (DIR/graph, as --keep left it)."""
    shape = Shape(entities, beliefs, versions, neighbours)
    with stack(home.resolve(), lambda line: click.echo(line, err=True)) as running:
        for one in profiled(running, shape):
            click.echo(one.row())


if __name__ == "__main__":
    write()
