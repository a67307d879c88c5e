"""The commands `land` and `run`: the same job as in `dg dev`, run here with progress shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click
import dagster as dg

from graph import server
from lakehouse.iceberg import open_ledger
from lakehouse.model.counted import counted
from lakehouse.model.errors import InputError, PartialError
from pipelines.assets import episodes_key, plain
from pipelines.definitions import job_name, line_of, merged, tenants_of
from pipelines.extract.declaration import Declaration
from pipelines.progress import say
from pipelines.resources import Narrator
from pipelines.runs import LandConfig, ProjectConfig, Ran, execute
from pipelines.sources import choose, declared

_TOLD: Final = {
    "landed": ("episode", " landed"),
    "duplicates": ("duplicate", ""),
    "statements": ("statement", ""),
    "edges_opened": ("edge", " opened"),
    "edges_closed": ("edge", " closed"),
    "refused": ("record", " refused"),
}
"""A run's numbers, each with its noun and what was done."""
_CHANGING_NOTHING: Final = ("duplicates", "refused")


@click.command()
@click.argument("source")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--confirm", is_flag=True, help="Land a snapshot that drops many records.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def land(source: str, files: Sequence[Path], confirm: bool, as_json: bool) -> None:
    """Land a declared source's episodes in the lake; `run` then works them in.

    SOURCE is the name of a declared source. Without FILES the ones it declares are read.
    A second landing of the same records changes nothing. Records that cannot be read are kept
    in quarantine, the rest goes on, and the exit code is 3.

    \b
    Example:
      beliefgraph land plant
      beliefgraph land ecdc-respiratory episodes.jsonl.gz
    """
    one = choose(source, os.environ)
    config = LandConfig(files=[str(file.resolve()) for file in files], confirm=confirm)
    ran = run_line(one.tenant, {one.name: one}, {one.name: config}, only_landing=True)
    report(ran, as_json, {"source": one.name, "tenant": one.tenant})


@click.command()
@click.argument("tenant", required=False)
@click.option("--land/--no-land", "landing", default=False, help="Land the tenant's files first.")
@click.option("--rebuild", is_flag=True, help="Make all of the graph what the lake says.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def run(tenant: str | None, landing: bool, rebuild: bool, as_json: bool) -> None:
    """Run a tenant's line: extract, believe, project, prove, publish.

    Starts the local Neo4j server if none runs and NEO4J_URI is not set. Only what waits is
    worked on, so a second run is quick and changes nothing.

    \b
    Example:
      beliefgraph run plant --land
    """
    tenants = tenants_of(declared(os.environ))
    chosen = _tenant(tenant, tenants)
    open_ledger(server.home_from(os.environ), os.environ)  # A store that is down is told first.
    server.up(os.environ, progress=say)
    configs = {name: LandConfig() for name in tenants[chosen]} if landing else {}
    ran = run_line(chosen, tenants[chosen], configs, rebuild=rebuild)
    report(ran, as_json, {"tenant": chosen})


def run_line(
    tenant: str,
    sources: Mapping[str, Declaration],
    landings: Mapping[str, LandConfig],
    *,
    only_landing: bool = False,
    rebuild: bool = False,
    echo: bool = True,
) -> Ran:
    """Run a tenant's job in this process, with the landings of these sources."""
    narrator = Narrator(echo=echo, results=not only_landing)  # A landing's is what `report` tells.
    definitions = merged([line_of(tenant, sources, landings=True)], narrator)
    landed = {episodes_key(sources[name]): config for name, config in landings.items()}
    others = (
        []
        if only_landing
        else [
            key
            for key in definitions.resolve_asset_graph().get_all_asset_keys()
            if key not in {episodes_key(one) for one in sources.values()}
        ]
    )
    configs: dict[str, dg.Config] = {"__".join(key.path): one for key, one in landed.items()}
    if not only_landing:
        configs[f"{plain(tenant)}__graph"] = ProjectConfig(rebuild=rebuild)
    return execute(definitions, job_name(tenant), configs=configs, selection=[*landed, *others])


def _tenant(name: str | None, tenants: Mapping[str, object]) -> str:
    if name in tenants:
        return str(name)
    known = ", ".join(sorted(tenants))
    if name is None:
        raise InputError("no tenant was given", remedy=f"Name one of: {known}.")
    raise InputError(
        f"no declared source feeds a tenant {name!r}", remedy=f"Tenants with sources: {known}."
    )


def report(ran: Ran, as_json: bool, about: Mapping[str, str]) -> None:
    """Print what a run did; PartialError where records were refused."""
    totals = {name: ran.total(name) for name in _TOLD}
    told = [f"{counted(n, _TOLD[name][0])}{_TOLD[name][1]}" for name, n in totals.items() if n]
    if as_json:
        click.echo(json.dumps({**about, "run": ran.run_id, **totals}, indent=2))
    elif not any(n for name, n in totals.items() if name not in _CHANGING_NOTHING):
        click.echo(f"nothing new: {', '.join(told) or 'lake and graph are as they were'}")
    else:
        click.echo(", ".join(told))
    if totals["refused"]:
        raise PartialError(
            f"refused {counted(totals['refused'], 'record')}, kept in quarantine",
            remedy="See each with file, line, field and reason: beliefgraph quarantine "
            f"{about['tenant']}.",
        )
