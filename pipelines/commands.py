"""The commands `land` and `run`: the same job as in `dg dev`, run here with progress shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import dagster as dg

from graph import server
from lakehouse.model.errors import InputError, PartialError
from pipelines.assets import episodes_key, plain
from pipelines.definitions import job_name, line_of, merged, tenants_of
from pipelines.extract.declaration import Declaration
from pipelines.runs import LandConfig, ProjectConfig, Ran, execute
from pipelines.sources import choose, declared


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
    server.up(os.environ, progress=_say)
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
    definitions = merged([line_of(tenant, sources, landings=True)], echo)
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
    names = ("landed", "duplicates", "statements", "edges_opened", "edges_closed", "refused")
    totals = {name: ran.total(name) for name in names}
    if as_json:
        click.echo(json.dumps({**about, "run": ran.run_id, **totals}, indent=2))
    elif not any(totals[name] for name in ("landed", "statements", "edges_opened", "edges_closed")):
        click.echo("nothing new: lake and graph are as they were")
    else:
        click.echo(", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in totals.items() if n))
    if totals["refused"]:
        raise PartialError(
            f"{totals['refused']:,} records were refused and are kept in quarantine",
            remedy="See each with file, line, field and reason: beliefgraph quarantine "
            f"{about['tenant']}.",
        )


def _say(line: str) -> None:
    click.echo(f"  {line}", err=True)
