"""Upkeep of the lake as Dagster jobs: every quarter of an hour what is small, every night all.

A run that finds nothing to merge and nothing to expire writes nothing. Both jobs go beside
landings and runs of any tenant; two of them at once are kept apart by a concurrency pool.
"""

import os

import dagster as dg

from graph.server import home_from
from lakehouse.store import open_store
from pipelines.resources import Narrator

POOL = "lake_upkeep"


class UpkeepConfig(dg.Config):
    """Whether to remove what nothing names as well (after three days of grace)."""

    sweeping: bool = False


@dg.op(pool=POOL)
def keep_lake(context: dg.OpExecutionContext, config: UpkeepConfig, narrator: Narrator) -> None:
    """Merge small files, expire snapshots, sweep; rows and beliefs must be as before."""
    from lakehouse.maintenance.upkeep import upkeep  # noqa: PLC0415  (definitions stay cheap)

    store = open_store(home_from(os.environ), os.environ)
    done = upkeep(store, sweeping=config.sweeping, progress=narrator.say)
    context.add_output_metadata(dict(done))


@dg.job(executor_def=dg.in_process_executor)
def lake_upkeep() -> None:
    """Keep appends quick: merge small files and expire snapshots."""
    keep_lake()


@dg.schedule(
    job=lake_upkeep, cron_schedule="*/15 * * * *", default_status=dg.DefaultScheduleStatus.RUNNING
)
def lake_upkeep_often() -> dg.RunRequest:
    """Every quarter of an hour, without sweeping."""
    return _asked(UpkeepConfig())


@dg.schedule(
    job=lake_upkeep,
    cron_schedule="40 3 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    name="lake_upkeep_nightly",
)
def lake_upkeep_nightly() -> dg.RunRequest:
    """Every night, with sweeping."""
    return _asked(UpkeepConfig(sweeping=True))


def _asked(config: UpkeepConfig) -> dg.RunRequest:
    return dg.RunRequest(run_config=dg.RunConfig(ops={"keep_lake": config}))


def definitions() -> dg.Definitions:
    """The job and its two schedules."""
    return dg.Definitions(jobs=[lake_upkeep], schedules=[lake_upkeep_often, lake_upkeep_nightly])
