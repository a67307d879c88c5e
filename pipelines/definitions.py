"""Root definitions: the declared sources' landings, and the line of each tenant they feed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import dagster as dg

from pipelines import nightly, upkeep
from pipelines.assets import landing, plain, tenant_line
from pipelines.extract.declaration import Declaration
from pipelines.resources import Graph, Lake, Narrator
from pipelines.sources import SHIPPED, declared


def tenants_of(sources: Mapping[str, Declaration]) -> dict[str, dict[str, Declaration]]:
    """The sources of each tenant, by name."""
    found: dict[str, dict[str, Declaration]] = {}
    for name, one in sources.items():
        found.setdefault(one.tenant, {})[name] = one
    return found


def line_of(tenant: str, sources: Mapping[str, Declaration], *, landings: bool) -> dg.Definitions:
    """A tenant's assets, check and job; with `landings` those of its sources too."""
    assets, checks = tenant_line(tenant, sources)
    landed = [landing(one) for one in sources.values()] if landings else []
    job = dg.define_asset_job(
        job_name(tenant),
        selection=dg.AssetSelection.groups(plain(tenant)),
        executor_def=dg.in_process_executor,
    )
    return dg.Definitions(assets=[*landed, *assets], asset_checks=checks, jobs=[job])


def job_name(tenant: str) -> str:
    """The job that runs a tenant's whole line."""
    return f"line_{plain(tenant)}"


def merged(each: Iterable[dg.Definitions], narrator: Narrator | None = None) -> dg.Definitions:
    """Several definitions and the resources that all of them need; without a narrator silent."""
    shared = {"lake": Lake(), "graph_": Graph(), "narrator": narrator or Narrator()}
    return dg.Definitions.merge(
        *each, dg.Definitions(resources=shared, executor=dg.in_process_executor)
    )


@dg.definitions
def defs() -> dg.Definitions:
    """What `dg` serves: shipped sources are components, a home's own are added to them."""
    found = declared(os.environ)
    own = [one for one in found.values() if SHIPPED not in one.path.parents]
    return merged(
        [
            dg.load_from_defs_folder(path_within_project=SHIPPED.parent),
            dg.Definitions(assets=[landing(one) for one in own]),
            upkeep.definitions(),
            nightly.definitions(),
            *(
                line_of(tenant, sources, landings=False)
                for tenant, sources in tenants_of(found).items()
            ),
        ]
    )
