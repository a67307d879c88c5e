"""The line as Dagster assets: a landing a source; statements, beliefs, graph, publication a tenant.

Assets are thin: they open what they need, call one function, and report. Lineage between them
goes through the lake, so a run may begin anywhere and finds by position what waits.
"""

import os
from collections.abc import Mapping

import dagster as dg
from dagster import AssetExecutionContext

from graph.publish import publish
from graph.repair import catch_up, repair
from graph.server import home_from
from graph.verify_last import verify_last
from lakehouse.believe import believe
from lakehouse.model.counted import counted
from lakehouse.model.instants import show
from lakehouse.model.listeners import Listeners
from lakehouse.stamping import system_clock
from pipelines import proofs, tenancy
from pipelines.extract.declaration import Declaration
from pipelines.extraction import extract
from pipelines.landing import land
from pipelines.resources import Graph, Lake, Narrator
from pipelines.runs import LandConfig, ProjectConfig

_WHEN_UPSTREAM_CHANGES = (
    dg.AutomationCondition.eager().without(dg.AutomationCondition.in_latest_time_window())
    & dg.AutomationCondition.all_deps_blocking_checks_passed()
)


def plain(name: str) -> str:
    """A name as Dagster takes it: letters, digits and underscores."""
    return "".join(letter if letter.isalnum() else "_" for letter in name)


def episodes_key(declared: Declaration) -> dg.AssetKey:
    """The landing of a source."""
    return dg.AssetKey([plain(declared.tenant), "episodes", plain(declared.name)])


def landing(declared: Declaration) -> dg.AssetsDefinition:
    """The asset that lands a source's files."""

    @dg.asset(
        key=episodes_key(declared),
        group_name=plain(declared.tenant),
        kinds={"iceberg"},
        description=f"Raw records of {declared.name}, as they arrived.",
    )
    def episodes(config: LandConfig, lake: Lake, narrator: Narrator) -> dg.MaterializeResult[None]:
        done = land(
            lake.ledger,
            declared,
            {**os.environ, "BELIEFGRAPH_HOME": str(home_from(os.environ))},
            files=config.paths,
            confirm=config.confirm,
            progress=narrator.often,
        )
        narrator.say(
            f"landed {counted(done.landed, 'episode')} of {declared.name} "
            f"({done.duplicates:,} known already, {done.refused:,} refused)"
        )
        return dg.MaterializeResult(
            metadata={
                "landed": done.landed,
                "duplicates": done.duplicates,
                "refused": done.refused,
            }
        )

    return episodes


def tenant_line(
    tenant: str, sources: Mapping[str, Declaration]
) -> tuple[list[dg.AssetsDefinition], list[dg.AssetChecksDefinition]]:
    """The assets of a tenant beyond landing, and the check that stands before publication."""
    prefix = plain(tenant)

    @dg.asset(
        key_prefix=[prefix],
        group_name=prefix,
        automation_condition=_WHEN_UPSTREAM_CHANGES,
        kinds={"iceberg"},
        deps=[episodes_key(one) for one in sources.values()],
    )
    def statements(lake: Lake, narrator: Narrator) -> dg.MaterializeResult[None]:
        """What the tenant's episodes say."""
        tenancy.record(lake.ledger, tenant, sources.values())
        done = extract(
            lake.ledger,
            tenant,
            sources,
            key=lake.key(tenant),
            now=system_clock,
            progress=narrator.say,
        )
        narrator.say(
            f"extracted {counted(done.statements, 'statement')} ({done.refused:,} refused)"
        )
        return dg.MaterializeResult(
            metadata={
                "episodes": done.episodes,
                "statements": done.statements,
                "refused": done.refused,
            }
        )

    @dg.asset(
        key_prefix=[prefix],
        group_name=prefix,
        automation_condition=_WHEN_UPSTREAM_CHANGES,
        kinds={"iceberg"},
        deps=[statements],
    )
    def beliefs(lake: Lake, narrator: Narrator) -> dg.MaterializeResult[None]:
        """What follows from all statements heard so far."""
        ledger = lake.ledger
        listeners = Listeners.from_record(
            ledger.definitions(tenant, tenancy.LISTENERS).get(tenancy.LISTENERS)
        )
        commit = believe(
            ledger, tenant, tenancy.cardinality_of(ledger, tenant), listeners, narrator.say
        )
        counts = dict(commit.counts) if commit else {}
        narrator.say(f"recorded {counted(sum(counts.values()), 'belief change')}")
        return dg.MaterializeResult(metadata=dict(counts))

    @dg.asset(
        key_prefix=[prefix],
        group_name=prefix,
        automation_condition=_WHEN_UPSTREAM_CHANGES,
        kinds={"neo4j"},
        deps=[beliefs],
    )
    def graph(
        config: ProjectConfig, lake: Lake, graph_: Graph, narrator: Narrator
    ) -> dg.MaterializeResult[None]:
        """The beliefs as edges, a projection of the lake."""
        work = repair if config.rebuild else catch_up
        with graph_.open() as (driver, database):
            done = work(lake.ledger, driver, database, tenant, progress=narrator.often)
        narrator.say(
            f"projected {counted(done.edges_opened, 'edge')}, closed {done.edges_closed:,}"
        )
        return dg.MaterializeResult(
            metadata={"edges_opened": done.edges_opened, "edges_closed": done.edges_closed}
        )

    @dg.asset_check(asset=graph, blocking=True, name="graph_equals_lake")
    def graph_equals_lake(lake: Lake, graph_: Graph, narrator: Narrator) -> dg.AssetCheckResult:
        """Every edge that is new or touched is what the lake says, properties included."""
        with graph_.open() as (driver, database):
            found = verify_last(lake.ledger, driver, database, tenant)
        narrator.say(found.summary)
        return dg.AssetCheckResult(passed=found.equal, metadata=proofs.written(found))

    @dg.asset(
        key_prefix=[prefix],
        group_name=prefix,
        automation_condition=_WHEN_UPSTREAM_CHANGES,
        kinds={"neo4j"},
        deps=[graph],
    )
    def publication(
        context: AssetExecutionContext, lake: Lake, graph_: Graph, narrator: Narrator
    ) -> dg.MaterializeResult[None]:
        """The watermark: up to which recorded instant the graph may be asked."""
        proof = proofs.newest(
            context.instance, dg.AssetCheckKey(dg.AssetKey([prefix, "graph"]), "graph_equals_lake")
        )
        with graph_.open() as (driver, database):
            done = publish(
                lake.ledger, driver, database, tenant, began_at=_began(context), verified=proof
            )
        if done is None:
            return dg.MaterializeResult()
        narrator.say(f"published: {tenant} may be asked up to {show(done.watermark)}")
        return dg.MaterializeResult(metadata={"watermark": show(done.watermark)})

    return [statements, beliefs, graph, publication], [graph_equals_lake]


def _began(context: AssetExecutionContext) -> int:
    record = context.instance.get_run_record_by_id(context.run.run_id)
    if record is None or record.start_time is None:
        return system_clock()
    return int(record.start_time * 1_000_000)
