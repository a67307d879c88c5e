"""`python -m tests.benchmarks [fold|asof|lake|land|graph|tzdata|ecdc …]` measures, prints tables.

Nothing is asserted about speed. Each set has an empty home and a server of its own, which is
stopped however the run ends.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn

import click
from dagster import DagsterExecutionInterruptedError

from lakehouse.iceberg import open_ledger
from lakehouse.model.errors import EXIT_CODES, BeliefgraphError
from pipelines.extract.declaration import Declaration
from pipelines.sources import declared
from tests.benchmarks import asof_sql, lake, landing, line, sizes
from tests.benchmarks.datasets import SETS, WHEELS_VARIABLE, Absent, DataSet
from tests.benchmarks.folding import fold_table
from tests.benchmarks.folding_one_key import one_key_table
from tests.benchmarks.graph import run as graph_run
from tests.benchmarks.graph.histories import Shape
from tests.benchmarks.graph.run import Options
from tests.benchmarks.latency import latency_table
from tests.benchmarks.machine import machine_table
from tests.benchmarks.profiles import profile
from tests.benchmarks.questions import Questions
from tests.benchmarks.stack import Stack, home_for, stack
from tests.benchmarks.tables import Column, Table, seconds, size

ALONE: Mapping[str, Callable[[Callable[[str], None]], Iterable[Table]]] = {
    "fold": lambda say: (table() for table in (fold_table, one_key_table)),
    "asof": lambda say: (asof_sql.run(),),
    "lake": lake.run,
    "land": lambda say: (landing.run(),),
}
"""What needs neither server nor data."""
GRAPH = "graph"


@click.command()
@click.argument("names", nargs=-1, type=click.Choice([*ALONE, GRAPH, *SETS]))
@click.option(
    "--wheels",
    type=click.Path(path_type=Path, file_okay=False),
    help=f"Folder of the tzdata releases  [default: {WHEELS_VARIABLE}, else fetched]",
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Leave the homes in this folder, for a look at lake and store.",
)
@click.option("--entities", default=100_000, show_default=True, help="graph: so many entities.")
@click.option("--beliefs", default=1_000_000, show_default=True, help="graph: so many beliefs.")
@click.option("--versions", type=int, help="graph: versions of the one key  [default: beliefs/100]")
@click.option(
    "--neighbours", type=int, help="graph: links of the one entity  [default: beliefs/100]"
)
@click.option(
    "--memory", multiple=True, help="graph: ask the reads again with so much memory (repeatable)."
)
@click.option(
    "--filled",
    type=click.Path(path_type=Path, file_okay=False),
    help="graph: ask a home that --keep left, with the same sizes; write nothing.",
)
@click.option(
    "--beside",
    type=click.Path(path_type=Path, dir_okay=False),
    help="graph: the JSON of an earlier run of another size; tell how each figure grew.",
)
@click.option(
    "--profile", "profiled", is_flag=True, help="Tell the hot functions of each stage instead."
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the same to a file as JSON.",
)
def bench(
    names: tuple[str, ...],
    wheels: Path | None,
    keep: Path | None,
    entities: int,
    beliefs: int,
    versions: int | None,
    neighbours: int | None,
    memory: tuple[str, ...],
    filled: Path | None,
    beside: Path | None,
    profiled: bool,
    json_file: Path | None,
) -> None:
    """Measure fold, as-of in SQL, lake, landing, graph, the line over each data set; all
    without NAMES."""
    signal.signal(signal.SIGTERM, _terminated)
    told: list[Table] = []
    shape = Shape(entities, beliefs, versions or beliefs // 100, neighbours or beliefs // 100)
    graph = Options(shape, memory, filled, keep, beside)
    for table in _tables(names or (*ALONE, GRAPH, *SETS), wheels, keep, profiled, graph):
        told.append(table)
        click.echo(table.as_text() + "\n")
        if json_file is not None:
            records = {"tables": [one.as_record() for one in told]}
            json_file.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def _tables(
    names: tuple[str, ...],
    wheels: Path | None,
    keep: Path | None,
    profiled: bool,
    graph: Options,
) -> Iterator[Table]:
    yield machine_table()
    for name in names:
        if name in ALONE:
            yield from ALONE[name](_say)
            continue
        if name == GRAPH:
            yield from graph_run.run(graph, _say)
            continue
        with home_for(name, keep) as home:
            try:
                yield from _of_set(SETS[name], home, wheels, profiled)
            except Absent as absent:
                click.echo(f"{name}: skipped, {absent}\n")


def _of_set(one: DataSet, home: Path, wheels: Path | None, profiled: bool) -> Iterator[Table]:
    file = one.prepare(home, wheels)
    with stack(home, _say) as running:
        source = declared(os.environ)[one.source]
        if profiled:
            yield from profile(running, source)
            return
        empty = sizes.store_bytes(home, running.database)
        yield Table(
            f"{one.name}: before the line",
            (
                Column("source file", "file"),
                Column("size", "bytes", size),
                Column("server up s", "server_up", seconds),
            ),
            [(file.name, file.stat().st_size, running.seconds_up)],
        )
        yield machine_table()
        beliefs = yield from _measured(one, running, source)
    # A clean stop writes all of the store: only now its files tell the truth.
    full = sizes.store_bytes(home, running.database)
    yield sizes.graph_table(f"{one.name}: the graph on disk, stopped", empty, full, beliefs)


def _measured(one: DataSet, running: Stack, source: Declaration) -> Generator[Table, None, int]:
    name = one.name
    _say(f"{name}: running the line")
    lined = line.run(running, source)
    yield line.line_table(f"{name}: where the time goes", lined, source, one.goal)
    yield line.again_table(f"{name}: run again, nothing new", line.run(running, source))
    beliefs = open_ledger(running.home, os.environ).beliefs(source.tenant)
    _say(f"{name}: asking")
    questions = Questions(beliefs, max(belief.recorded_from for belief in beliefs))
    yield latency_table(f"{name}: answers", running, source.tenant, questions)
    yield sizes.counts_table(f"{name}: in the graph", running)
    yield sizes.lake_table(f"{name}: the lake on disk", running.home, len(beliefs))
    return len(beliefs)


def _say(told: str) -> None:
    click.echo(f"  {told}", err=True)


def _terminated(number: int, frame: FrameType | None) -> NoReturn:
    """An ended process leaves its blocks as an interrupted one does: the server is stopped."""
    raise KeyboardInterrupt


def main() -> None:
    """Run; what goes wrong on purpose is one sentence and its remedy."""
    try:
        bench.main(prog_name="python -m tests.benchmarks")
    except DagsterExecutionInterruptedError:
        click.echo("Aborted!", err=True)
        sys.exit(1)
    except BeliefgraphError as wrong:
        click.echo(str(wrong), err=True)
        sys.exit(EXIT_CODES[wrong.category])


if __name__ == "__main__":
    main()
